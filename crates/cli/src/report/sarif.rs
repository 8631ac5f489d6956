//! The report in the Static Analysis Results Interchange Format, version 2.1.0: what failed as results of level `error`, each
//! with its likeliest places as related locations. They are related, not located there: nothing is proven of them.

use anyhow::Result;
use serde_json::{Value, json};
use session::SymptomKind;
use words::{CAUTION, Failure, FilePlace, RunReport};

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";
/// What a path without a place of its own is below: the top of the repository.
const TOP: &str = "%SRCROOT%";

pub fn sarif(report: &RunReport) -> Result<String> {
    let results: Vec<Value> = report.failures.iter().map(|failure| result(report, failure)).collect();
    let notes: Vec<Value> = report
        .remarks
        .iter()
        .map(|remark| json!({ "level": "error", "message": { "text": remark } }))
        .collect();
    let run = json!({
        "tool": { "driver": {
            "name": "Inquest",
            "version": env!("CARGO_PKG_VERSION"),
            "semanticVersion": env!("CARGO_PKG_VERSION"),
            "rules": SymptomKind::ALL.map(|(kind, name)| json!({
                "id": name,
                "shortDescription": { "text": meaning(kind) },
            })),
        } },
        "invocations": [{
            "commandLine": report.command.join(" "),
            "executionSuccessful": true,
            "toolExecutionNotifications": notes,
        }],
        "columnKind": "unicodeCodePoints",
        "results": results,
    });
    let document = json!({ "$schema": SCHEMA, "version": "2.1.0", "runs": [run] });
    Ok(serde_json::to_string_pretty(&document)? + "\n")
}

fn result(report: &RunReport, failure: &Failure) -> Value {
    let rule = SymptomKind::ALL.iter().position(|(kind, _)| *kind == failure.kind).unwrap_or(0);
    let mut text = format!("{}: {}", failure.shown_by, failure.text);
    if let Some(message) = &failure.message {
        text.push_str(&format!("\n{message}"));
    }
    if let Some(first) = failure.likely.first() {
        text.push_str(&format!("\nLikeliest place: {} ({}). {CAUTION}", first.method, first.percent()));
    }
    text.push_str(&format!("\ninquest ask {} --symptom {}", report.recording, failure.number));
    let places = failure.likely.iter().filter_map(|likely| Some((likely, likely.place.as_ref()?)));
    let related = (1..).zip(places).map(|(id, (likely, place))| {
        let text = format!("{}: likely at {}", likely.method, likely.percent());
        json!({ "id": id, "physicalLocation": physical(place), "message": { "text": text } })
    });
    let logical = json!([{ "fullyQualifiedName": failure.shown_by }]);
    let location = match &failure.place {
        Some(place) => json!({ "physicalLocation": physical(place), "logicalLocations": logical }),
        None => json!({ "logicalLocations": logical }),
    };
    json!({
        "ruleId": failure.kind.name(),
        "ruleIndex": rule,
        "level": "error",
        "message": { "text": text },
        "locations": [location],
        "relatedLocations": related.collect::<Vec<_>>(),
        // What stays the same as long as the same test fails.
        "partialFingerprints": { "inquestSymptom/v1": format!("{}:{}", failure.kind.name(), failure.shown_by) },
    })
}

fn physical(place: &FilePlace) -> Value {
    let uri = place.uri();
    let artifact = match place.path.starts_with('/') {
        true => json!({ "uri": format!("file://{uri}") }),
        false => json!({ "uri": uri, "uriBaseId": TOP }),
    };
    match place.line {
        Some(line) => json!({ "artifactLocation": artifact, "region": { "startLine": line.max(1) } }),
        None => json!({ "artifactLocation": artifact }),
    }
}

fn meaning(kind: SymptomKind) -> &'static str {
    match kind {
        SymptomKind::Assertion => "A test asserted something that was not so",
        SymptomKind::Null => "Something was null and was used",
        SymptomKind::Index => "An index was out of range",
        SymptomKind::Exception => "An exception ended a test or a thread",
        SymptomKind::ExpectedException => "An exception should have come, and did not",
        SymptomKind::Request => "A request was answered with an error",
        SymptomKind::NeverEnded => "A call was not over when the run was",
        SymptomKind::Output => "A line of output is wrong",
        SymptomKind::Call => "A call is wrong",
    }
}
