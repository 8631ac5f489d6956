//! Writes the parts of a recording without what is secret. Records keep their place and their meaning: a string is
//! one of which nothing is known, an array one into which nobody looked.

use std::collections::{BTreeSet, HashMap};
use std::io;

use serde_json::Value as Json;
use trace::codes::{string_flag, tag};
use trace::frame::Header;
use trace::record::{self, Record};
use trace::tables::{self, TableRecord};
use trace::{Recording, StreamId};

use super::class_file;
use super::collect::{self, collect, damaged};
use super::needles::Needles;
use super::rules::Rules;
use super::secrets::Secrets;
use crate::error::{Error, Result};

/// What takes secrets out of the parts of one run.
pub struct Redactor {
    secrets: Vec<Secrets>,
    /// Of all recordings of the run: what one JVM holds may be in another's too.
    needles: Needles,
    /// Table streams by recording and chunk number.
    tables: Vec<HashMap<u32, Vec<u8>>>,
    texts: usize,
}

impl Redactor {
    /// Finds out what is secret in the recordings of a run.
    pub fn new(recordings: &[Recording], rules: &Rules, round: &mut dyn FnMut(usize)) -> Result<Redactor> {
        let mut rounds = 0;
        let mut tell = || {
            rounds += 1;
            round(rounds);
        };
        let mut all = Vec::new();
        for recording in recordings {
            if !recording.damaged().is_empty() {
                return Err(damaged());
            }
            all.push(Secrets::new(if rules.keep_names { names(recording)? } else { BTreeSet::new() }));
        }
        // What one JVM shows to be secret may be in another one where no rule names it.
        let mut texts = BTreeSet::new();
        loop {
            let before = texts.len();
            for (recording, secrets) in recordings.iter().zip(&mut all) {
                if before == 0 || secrets.texts.len() < texts.len() {
                    texts.iter().for_each(|text: &String| secrets.add_text(rules, text));
                    collect(recording, rules, secrets, &mut tell)?;
                    texts.extend(secrets.texts.iter().cloned());
                }
            }
            if texts.len() == before || recordings.len() == 1 {
                break;
            }
        }
        refuse(&all)?;
        let needles = Needles::new(texts.iter().map(String::as_str));
        let mut redactor = Redactor { secrets: all, needles, tables: Vec::new(), texts: texts.len() };
        for (at, recording) in recordings.iter().enumerate() {
            let tables = redactor.rewritten_tables(at, recording)?;
            redactor.tables.push(tables);
        }
        Ok(redactor)
    }

    /// How many texts are looked for.
    pub fn texts(&self) -> usize {
        self.texts
    }

    /// How many strings and arrays are taken out where they are, besides what has one of the texts in it.
    pub fn values(&self) -> usize {
        self.secrets.iter().map(|secrets| secrets.strings.len() + secrets.arrays.len()).sum()
    }

    pub fn needles(&self) -> &Needles {
        &self.needles
    }

    /// A frame of a chunk file of a recording; `raw` is what it holds.
    pub fn frame(&self, recording: usize, header: &Header, raw: &[u8]) -> Result<Vec<u8>> {
        Ok(match StreamId(header.stream) {
            StreamId::TABLES => self.tables[recording].get(&header.chunk_number).ok_or_else(damaged)?.clone(),
            _ => {
                let raw = self.records(recording, raw)?;
                match self.needles.is_in(&raw) {
                    true => return Err(is_name("the log", b"")),
                    false => raw,
                }
            }
        })
    }

    /// Records of a thread's stream.
    fn records(&self, recording: usize, bytes: &[u8]) -> Result<Vec<u8>> {
        let secrets = &self.secrets[recording];
        let mut out = Vec::with_capacity(bytes.len());
        let mut rest = bytes;
        while !rest.is_empty() {
            let (found, length) = record::decode(rest).ok_or_else(damaged)?;
            match found {
                Record::String { id, flags, data, .. }
                    if secrets.strings.contains(&id) || self.is_in_text(flags, data) =>
                {
                    out.push(tag::STRING);
                    out.extend_from_slice(&id.0.to_le_bytes());
                    out.extend_from_slice(&[0, 0, 0, 0, string_flag::CUT, 0, 0]);
                }
                Record::Content { id, length, from, count, kind, data }
                    if secrets.arrays.contains(&id)
                        || self.needles.is_in(data)
                        || (from.saturating_add(count.into()) < length && self.needles.may_go_on(data)) =>
                {
                    // Without the pieces behind the first: nothing is known of any element.
                    if from == 0 {
                        out.push(tag::CONTENT);
                        [id.0, length, 0].iter().for_each(|word| out.extend_from_slice(&word.to_le_bytes()));
                        out.extend_from_slice(&[0, 0, kind]);
                    }
                }
                _ => out.extend_from_slice(&rest[..length]),
            }
            rest = &rest[length..];
        }
        Ok(out)
    }

    fn is_in_text(&self, flags: u8, data: &[u8]) -> bool {
        let cut = flags & string_flag::CUT != 0;
        self.needles.is_in(data) || (cut && self.needles.may_go_on(data))
    }

    /// The table stream by its frames: each is as long as before.
    fn rewritten_tables(&self, at: usize, recording: &Recording) -> Result<HashMap<u32, Vec<u8>>> {
        let mut bytes = collect::tables(recording)?;
        let mut offset = 0;
        while let Some((found, length)) = next_table(&bytes, &mut offset)? {
            let patch = self.patch(at, &found, &bytes);
            for (from, content) in patch {
                bytes[from..from + content.len()].copy_from_slice(&content);
            }
            offset += length;
        }
        self.search_names(&bytes)?;
        let mut frames = HashMap::new();
        let mut rest = bytes.as_slice();
        for piece in recording.frames().pieces(StreamId::TABLES) {
            let trace::frame_reader::Piece::Frame(frame) = piece else { return Err(damaged()) };
            let (own, more) = rest.split_at(frame.header.raw as usize);
            frames.insert(frame.header.chunk_number, own.to_vec());
            rest = more;
        }
        Ok(frames)
    }

    /// Says where a secret is left that cannot be taken out, because it is a name.
    fn search_names(&self, bytes: &[u8]) -> Result<()> {
        let mut offset = 0;
        while let Some((found, length)) = next_table(bytes, &mut offset)? {
            let own = &bytes[offset..offset + length];
            if let Some((at, size)) = self.needles.find(own) {
                let place = match found {
                    TableRecord::Class(class) => trace::text::from_modified(class.name),
                    TableRecord::Type(ty) => trace::text::from_modified(ty.name),
                    TableRecord::Layout(layout) => trace::text::from_modified(layout.name),
                    _ => "the recording's tables".to_owned(),
                };
                return Err(is_name(&place.replace('/', "."), &own[at..at + size]));
            }
            offset += length;
        }
        match self.needles.is_in(bytes) {
            true => Err(is_name("the recording's tables", b"")),
            false => Ok(()),
        }
    }

    /// What a table record gets instead, and where in the bytes that it was read from.
    fn patch(&self, recording: usize, found: &TableRecord<'_>, bytes: &[u8]) -> Vec<(usize, Vec<u8>)> {
        let place = |part: &[u8]| part.as_ptr() as usize - bytes.as_ptr() as usize;
        let blanked = |part: &[u8]| {
            let mut part = part.to_vec();
            self.needles.blank(&mut part, b'*');
            part
        };
        match found {
            TableRecord::String { id, flags, data, .. }
                if self.secrets[recording].strings.contains(id) || self.is_in_text(*flags, data) =>
            {
                // Number of characters, flags and length stand before the data.
                let at = place(data);
                vec![(at - 9, vec![0, 0, 0, 0, string_flag::CUT]), (at, vec![0; data.len()])]
            }
            TableRecord::Thread(thread) => vec![(place(thread.name), blanked(thread.name))],
            TableRecord::Note { text, .. } => vec![(place(text), blanked(text))],
            TableRecord::Class(class) => {
                let mut file = class.bytes.to_vec();
                class_file::blank(&mut file, &self.needles);
                vec![(place(class.bytes), file), (place(class.source), blanked(class.source))]
            }
            _ => Vec::new(),
        }
    }

    /// The manifest: what it says about the run, without secrets.
    pub fn manifest(&self, text: &[u8]) -> io::Result<Vec<u8>> {
        let mut json: Json = serde_json::from_slice(text)?;
        self.clean(&mut json);
        json["redacted"] = Json::Bool(true);
        let mut text = serde_json::to_vec_pretty(&json)?;
        text.push(b'\n');
        Ok(text)
    }

    fn clean(&self, json: &mut Json) {
        match json {
            Json::String(text) if self.needles.is_in(text.as_bytes()) => {
                *text = self.needles.replace(text, trace::text::REDACTED);
            }
            Json::Array(list) => list.iter_mut().for_each(|one| self.clean(one)),
            Json::Object(map) => map.values_mut().for_each(|one| self.clean(one)),
            _ => {}
        }
    }

    /// Is it the journal of answers of somebody who named a secret?
    pub fn is_in(&self, text: &[u8]) -> bool {
        self.needles.is_in(text)
    }

    /// A source file, with as many lines and columns as before.
    pub fn source(&self, text: &str) -> Vec<u8> {
        let mut bytes = text.as_bytes().to_vec();
        self.needles.blank(&mut bytes, b'*');
        bytes
    }
}

/// The record of the table stream at `offset`, which is moved over the zeros that may be between chunks.
fn next_table<'b>(bytes: &'b [u8], offset: &mut usize) -> Result<Option<(TableRecord<'b>, usize)>> {
    while bytes.get(*offset) == Some(&0) {
        *offset += 1;
    }
    match bytes.get(*offset..) {
        None | Some([]) => Ok(None),
        Some(rest) => tables::decode(rest).map(Some).ok_or_else(damaged),
    }
}

/// A secret is left where it has to stay. It is shown so far that its owner knows it.
pub fn is_name(place: &str, text: &[u8]) -> Error {
    let start: String = String::from_utf8_lossy(text).chars().take(2).collect();
    let which = match text.is_empty() {
        true => String::new(),
        false => format!(" (`{start}…`, {} bytes)", text.len()),
    };
    Error::Unsound {
        what: format!(
            "a redacted text{which} is also in {place}, as a name or a part of one, and names cannot be taken out"
        ),
        remedy:
            "if it is no secret, add the rule `keep TEXT`, or `keep names` for all that are names in the code"
                .to_owned(),
    }
}

/// Names cannot be taken out: of classes and what they declare, and of what the manifest says.
fn names(recording: &Recording) -> Result<BTreeSet<String>> {
    let mut found = BTreeSet::new();
    tables::for_each(&collect::tables(recording)?, &mut |record: TableRecord<'_>| {
        let names: Vec<&[u8]> = match &record {
            TableRecord::Type(ty) => vec![ty.name],
            TableRecord::Layout(layout) => {
                let fields = layout.fields.iter().flat_map(|&(name, descriptor)| [name, descriptor]);
                fields.chain([layout.name, layout.super_name]).collect()
            }
            TableRecord::Fields { fields, .. } => {
                fields.iter().flat_map(|&(name, descriptor)| [name, descriptor]).collect()
            }
            TableRecord::Class(class) => {
                class_file::names(class.bytes, &mut found);
                vec![class.name]
            }
            _ => Vec::new(),
        };
        found.extend(names.into_iter().map(trace::text::from_modified));
    });
    let manifest = serde_json::to_value(recording.manifest()).unwrap_or_default();
    keys(&manifest, &mut found);
    Ok(found)
}

fn keys(json: &Json, found: &mut BTreeSet<String>) {
    match json {
        Json::Object(map) => map.iter().for_each(|(key, value)| {
            found.insert(key.clone());
            keys(value, found);
        }),
        Json::Array(list) => list.iter().for_each(|one| keys(one, found)),
        _ => {}
    }
}

/// Says which code handles secrets so that they cannot be taken out.
fn refuse(all: &[Secrets]) -> Result<()> {
    let Some((how, places)) = all.iter().find_map(|secrets| secrets.refused.first_key_value()) else {
        return Ok(());
    };
    let shown: Vec<&str> = places.iter().take(5).map(String::as_str).collect();
    let more = match places.len().saturating_sub(5) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    Err(Error::Unsound {
        what: format!("{} handles {how}", shown.join(", ") + &more),
        remedy: "leave this class out when recording (--exclude), or take the rule back that means it (`keep TEXT` says \
                 that a text is no secret)"
            .to_owned(),
    })
}
