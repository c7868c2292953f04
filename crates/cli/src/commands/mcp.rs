//! `tollgate mcp`: the verbs that agents need, as tools over standard input and output.
//!
//! Each tool is a command line of our own program (`tools.rs`): what it may do, who it is done by
//! and how it is refused are the same on both ways. Nothing that is for people alone is a tool.

mod call;
mod tools;

use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context, Result};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation,
    ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
    ToolAnnotations,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler, ServiceExt};
use serde_json::Map;

use crate::exit;
use tools::{TOOLS, ToolSpec};

/// What a model is told of the whole.
const ABOUT: &str = "Messages, work items, reviews and undo of this repository. Post findings that \
    others need, take work from work_ready, claim it before you begin, close it when it is done.";

/// The server: it knows nothing but its tools.
#[derive(Debug, Clone)]
struct Server;

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().build();
        let name = Implementation::new("tollgate", env!("CARGO_PKG_VERSION"));
        ServerConfig::new(capabilities)
            .with_server_info(name)
            .with_instructions(ABOUT)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(
            TOOLS.iter().map(described).collect(),
        ))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(tool) = TOOLS.iter().find(|tool| tool.name == request.name) else {
            let what = format!("there is no tool {}", request.name);
            return Err(ErrorData::invalid_params(what, None));
        };
        let arguments = request.arguments.unwrap_or_default();
        let said = match tool.line(&arguments) {
            Ok(line) => call::run(&line).await,
            Err(fault) => Err(fault),
        };
        let text = |text: String| vec![ContentBlock::text(text)];
        let result = match said {
            Ok(said) => CallToolResult::success(text(said)),
            // The model reads it and may do better.
            Err(fault) => CallToolResult::error(text(fault)),
        };
        Ok(result.into())
    }
}

fn described(tool: &ToolSpec) -> Tool {
    let schema: Map<String, serde_json::Value> = tool.schema();
    let hints = ToolAnnotations::from_raw(
        None,
        Some(tool.only_reads),
        Some(false),
        Some(tool.only_reads),
        Some(false),
    );
    Tool::new(tool.name, tool.about, Arc::new(schema)).with_annotations(hints)
}

/// Serves until the other end is closed.
pub fn run() -> Result<ExitCode> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    let runtime = runtime.context("the server could not be started")?;
    runtime.block_on(async {
        let service = Server.serve(rmcp::transport::stdio()).await;
        let service = service.context("what is at the other end does not speak MCP")?;
        service
            .waiting()
            .await
            .context("the server ended in the middle")
    })?;
    Ok(ExitCode::from(exit::OK))
}
