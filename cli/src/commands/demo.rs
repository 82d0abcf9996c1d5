//! `demo`.
use crate::args::{Common, DemoArgs};
use crate::bars::Bars;
pub(crate) fn run(_: &DemoArgs, _: &Common, _: &Bars) -> anyhow::Result<()> { Ok(()) }
