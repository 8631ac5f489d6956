//! x
pub fn run(_: &crate::args::StatsArgs) -> anyhow::Result<()> {
    crate::open::all(std::path::Path::new("x"))?;
    Ok(())
}
