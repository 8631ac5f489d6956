//! Servers that call the program with a request: how a method that answers one is told, and which calls say what was asked
//! and what was answered.

use crate::matching::{begins, is_one_of};

/// Types of parameters, as descriptors have them.
pub const PARAMETERS: [&str; 8] = [
    "Lcom/sun/net/httpserver/HttpExchange;",
    "Ljavax/servlet/ServletRequest;",
    "Ljavax/servlet/http/HttpServletRequest;",
    "Ljakarta/servlet/ServletRequest;",
    "Ljakarta/servlet/http/HttpServletRequest;",
    "Lio/undertow/server/HttpServerExchange;",
    "Lorg/springframework/web/context/request/WebRequest;",
    "Lorg/springframework/http/server/reactive/ServerHttpRequest;",
];

/// Whose annotations of a method say that it answers requests, and their simple names.
const JAX_RS: [&str; 2] = ["Ljavax/ws/rs/", "Ljakarta/ws/rs/"];
const JAX_RS_METHODS: [&str; 8] = ["GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS", "Path"];
const SPRING: &str = "Lorg/springframework/web/bind/annotation/";

/// All that annotations of methods that answer requests begin with.
pub const ANNOTATIONS: [&str; 3] = [JAX_RS[0], JAX_RS[1], SPRING];

/// Does a parameter of this type hold a request?
pub fn is_request(descriptor: &str) -> bool {
    PARAMETERS.contains(&descriptor)
}

/// Does an annotation, by its descriptor, say that a method answers requests?
pub fn answers(annotation: &str) -> bool {
    let simple = annotation.rsplit('/').next().unwrap_or("").trim_end_matches(';');
    begins(annotation.as_bytes(), &JAX_RS) && is_one_of(simple.as_bytes(), &JAX_RS_METHODS)
        || annotation.starts_with(SPRING) && simple.ends_with("Mapping")
}

/// What a call on a request gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    /// `GET`
    Method,
    Path,
}

pub fn asked(name: &str) -> Option<Asked> {
    match name {
        "getRequestMethod" | "getMethod" => Some(Asked::Method),
        "getRequestURI" | "getPathInfo" | "getServletPath" | "getPath" => Some(Asked::Path),
        _ => None,
    }
}

/// Does a call answer with a status, which is what it is given first?
pub fn sets_status(owner: &str, name: &str) -> bool {
    let named = matches!(name, "sendResponseHeaders" | "sendError" | "setStatus" | "setStatusCode");
    named
        && ["HttpExchange", "HttpServletResponse", "HttpServletResponseWrapper", "HttpServerExchange"]
            .iter()
            .any(|class| owner.ends_with(&format!("/{class}")))
}

/// Answers from this status on say that the server failed.
pub const SERVER_ERROR: i32 = 500;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entry_points_are_told_by_what_they_are_given_or_carry() {
        for (annotation, expected) in [
            ("Ljavax/ws/rs/GET;", true),
            ("Ljakarta/ws/rs/Path;", true),
            ("Ljavax/ws/rs/Produces;", false),
            ("Lorg/springframework/web/bind/annotation/GetMapping;", true),
            ("Lorg/springframework/web/bind/annotation/RestController;", false),
            ("LGET;", false),
        ] {
            assert_eq!(answers(annotation), expected, "{annotation}");
        }
        assert!(is_request("Lcom/sun/net/httpserver/HttpExchange;"));
        assert!(sets_status("javax/servlet/http/HttpServletResponse", "sendError"));
        assert!(!sets_status("my/Light", "setStatus"));
    }
}
