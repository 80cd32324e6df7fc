//! The lists of a site, page by page, as the edge would present them.

use std::num::NonZeroU32;
use std::time::Duration;

use anyhow::{Context as _, bail, ensure};
use calendar_edge::app::DryRun;
use calendar_edge_core::settings::Settings;
use calendar_edge_judge::contract::Kind;
use http::{HeaderMap, Method, StatusCode};
use serde_json::Value;

use super::super::comparing::{CallJudge, Judged, SentRequest};
use super::super::pace::Pace;

/// Reads lists, no faster than a rate.
pub(super) struct ListReader<'s> {
    settings: &'s Settings,
    judge: CallJudge<'s>,
    site: DryRun,
    headers: HeaderMap,
    pace: Pace,
}

/// The lists of one kind below one REST root.
#[derive(Debug, Clone, Copy)]
pub(super) struct WalkedList<'s> {
    /// The path of the REST root.
    pub(super) root: &'s str,
    pub(super) kind: Kind,
}

/// One page of a list.
#[derive(Debug)]
pub(super) struct ListPage {
    pub(super) records: Vec<Value>,
    /// The number of pages, as far as the site knows.
    pub(super) pages: u64,
}

/// Tries of one page.
const TRIES: u32 = 4;

/// The wait before the second try; each further one is twice as long.
const FIRST_WAIT: Duration = Duration::from_secs(1);

// === impl ListReader ===

impl<'s> ListReader<'s> {
    pub(super) fn new(settings: &'s Settings, headers: HeaderMap, rate: NonZeroU32) -> anyhow::Result<Self> {
        let site = settings.site();
        Ok(Self {
            settings,
            judge: CallJudge::new(settings),
            site: DryRun::new(site.clone(), &site)?,
            headers,
            pace: Pace::new(rate),
        })
    }

    /// All lists of all REST roots.
    pub(super) fn lists(&self) -> Vec<WalkedList<'s>> {
        let roots = self.settings.roots.iter();
        let of_root = |root: &'s calendar_edge_core::settings::Root| {
            let root = root.path.as_str();
            Kind::ALL.into_iter().map(move |kind| WalkedList { root, kind })
        };
        roots.flat_map(of_root).collect()
    }

    /// Reads a page; a failure of the site is tried again a few times. A page beyond the end has no records.
    pub(super) async fn page(&mut self, list: WalkedList<'s>, page: u64) -> anyhow::Result<ListPage> {
        let mut wait = FIRST_WAIT;
        for _ in 1..TRIES {
            match self.try_page(list, page).await? {
                Ok(page) => return Ok(page),
                Err(_) => tokio::time::sleep(wait).await,
            }
            wait *= 2;
        }
        self.try_page(list, page).await?.map_err(anyhow::Error::msg)
    }

    /// A page, or inside the reason why it may be tried again.
    async fn try_page(
        &mut self,
        list: WalkedList<'s>,
        page: u64,
    ) -> anyhow::Result<Result<ListPage, String>> {
        self.pace.turn().await;
        let target = self.target(list, page);
        let request = SentRequest {
            method: Method::GET,
            target: target.parse().context("the target of a list")?,
            headers: self.headers.clone(),
            body: Vec::new(),
        };
        let Judged::Call(call) = self.judge.judge(&request) else {
            bail!("the edge does not send {target} to the site: see `calendar-edge explain`");
        };
        let answer = self.site.answer(&call).await;
        if let Some(failure) = &answer.failure {
            return Ok(Err(format!("{target}: {failure}")));
        }
        let body = &serde_json::from_slice::<Value>(&answer.body).unwrap_or_default();
        let is_beyond = answer.status == StatusCode::NOT_FOUND
            && body["code"]
                .as_str()
                .is_some_and(|code| code.ends_with("-page-not-found"));
        if is_beyond {
            return Ok(Ok(ListPage {
                records: Vec::new(),
                pages: page.saturating_sub(1),
            }));
        }
        ensure!(
            answer.status == StatusCode::OK,
            "{target} has the status {}: {}",
            answer.status.as_u16(),
            body["message"].as_str().unwrap_or("no message")
        );
        let records = body[list.kind.collection()].as_array();
        let records = records.with_context(|| format!("{target} is answered without a list"))?;
        Ok(Ok(ListPage {
            records: records.clone(),
            pages: body["total_pages"].as_u64().unwrap_or(page),
        }))
    }

    /// A page of the list that has every record. Without `status` it has all that its reader may see.
    fn target(&self, list: WalkedList<'_>, page: u64) -> String {
        let WalkedList { root, kind } = list;
        let namespace = self.settings.namespaces.first().map_or("", String::as_str);
        let (collection, all) = (kind.collection(), kind.whole_list());
        format!("{root}/{namespace}/{collection}?{all}&page={page}")
    }
}
