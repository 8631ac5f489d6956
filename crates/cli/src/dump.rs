//! x
pub fn run(_: &crate::args::DumpArgs) -> anyhow::Result<()> {
    Ok(())
}
