//! Laws of writes: what was created is there, what was changed is changed, and what was deleted is gone.

use calendar_edge_judge::contract::Kind;
use calendar_edge_judge::contract::answer::Shape;
use http::Method;
use serde_json::{Value, json};

use super::api_under_test::{ApiAnswer, ApiRequest};
use super::suite::{Suite, tried};

// === impl Suite ===

impl Suite {
    /// Creates, changes and deletes one record of each kind.
    pub(super) async fn write_laws(&mut self) {
        for kind in Kind::ALL {
            self.create_without_arguments(kind).await;
            if let Some(target) = self.create(kind).await {
                self.update(kind, &target).await;
                self.delete(kind, &target).await;
            }
        }
    }

    /// Keeps in mind what a call created, whether or not it should have.
    pub(super) fn note_created(&mut self, kind: Kind, answer: &ApiAnswer) -> Option<String> {
        let id = answer.body["id"].as_i64().filter(|_| answer.status == 201)?;
        let target = format!("/{}/{id}", kind.collection());
        self.created.push(target.clone());
        Some(target)
    }

    /// Deletes what a check before its end left there.
    pub(super) async fn clean_up(&mut self) {
        for target in std::mem::take(&mut self.created).into_iter().rev() {
            let request = ApiRequest::of(Method::DELETE, target).with_account();
            let law = "what was created is deleted again";
            if let Some(answer) = self.answered(tried("writes", law, &request)).await {
                self.succeeded(tried("writes", law, &request), &answer);
            }
        }
    }

    async fn create_without_arguments(&mut self, kind: Kind) {
        let law = "a record without its name is refused";
        let subject = format!("{}.create", kind.collection());
        let request = ApiRequest::of(Method::POST, format!("/{}", kind.collection()));
        let request = request.with_body("{}").with_account();
        if let Some(answer) = self.answered(tried(&subject, law, &request)).await {
            self.refused(
                tried(&subject, law, &request),
                &answer,
                (400, &["rest_missing_callback_param"]),
            );
            self.note_created(kind, &answer);
        }
    }

    /// The route of a new record; none if it was not created.
    async fn create(&mut self, kind: Kind) -> Option<String> {
        let subject = format!("{}.create", kind.collection());
        let law = "a record is created";
        let request = ApiRequest::of(Method::POST, format!("/{}", kind.collection()));
        let record = new_record(kind, &self.made);
        let request = request.with_body(record.to_string()).with_account();
        let answer = self.answered(tried(&subject, law, &request)).await?;
        let target = self.note_created(kind, &answer);
        self.check(
            tried(&subject, law, &request),
            target.is_some(),
            "201 with a number",
            || answer.told(),
        );
        self.shaped(&subject, &request, Shape::Model(kind.model()), &answer.body);
        let target = target?;
        let read = self.read(&subject, &target, Shape::Model(kind.model())).await?;
        let (law, name) = ("what was created is there", name_of(kind));
        self.equal(tried(&subject, law, &request), &read[name], &record[name]);
        Some(target)
    }

    async fn update(&mut self, kind: Kind, target: &str) {
        let subject = format!("{}.update", kind.collection());
        let law = "what was changed is changed";
        let name = name_of(kind);
        let wanted = format!("{} again", self.made);
        let request = ApiRequest::of(Method::POST, target)
            .with_body(json!({name: wanted}).to_string())
            .with_account();
        let Some(answer) = self.answered(tried(&subject, law, &request)).await else {
            return;
        };
        self.succeeded(tried(&subject, "a record is changed", &request), &answer);
        self.shaped(&subject, &request, Shape::Model(kind.model()), &answer.body);
        if let Some(read) = self.read(&subject, target, Shape::Model(kind.model())).await {
            self.equal(tried(&subject, law, &request), &read[name], &wanted.into());
        }
    }

    async fn delete(&mut self, kind: Kind, target: &str) {
        let subject = format!("{}.delete", kind.collection());
        let law = "a record is deleted";
        let request = ApiRequest::of(Method::DELETE, target).with_account();
        let Some(answer) = self.answered(tried(&subject, law, &request)).await else {
            return;
        };
        if answer.status == 200 {
            self.created.retain(|created| created != target);
        }
        self.succeeded(tried(&subject, law, &request), &answer);
        self.shaped(&subject, &request, Shape::Model(kind.model()), &answer.body);
        let gone = ApiRequest::get(target);
        let law = "what was deleted is gone";
        if let Some(answer) = self.answered(tried(&subject, law, &gone)).await {
            let holds = (400..500).contains(&answer.status);
            self.check(
                tried(&subject, law, &gone),
                holds,
                "an error of the caller",
                || answer.told(),
            );
        }
        // A post in the trash says so; a term is not there any more.
        let law = "what was deleted cannot be deleted again";
        if let Some(again) = self.answered(tried(&subject, law, &request)).await {
            let holds = if kind.is_term() {
                (400..500).contains(&again.status)
            } else {
                again.status == 410
            };
            let expected = if kind.is_term() {
                "an error of the caller"
            } else {
                "410"
            };
            self.check(tried(&subject, law, &request), holds, expected, || again.told());
        }
    }
}

const fn name_of(kind: Kind) -> &'static str {
    match kind {
        Kind::Event => "title",
        Kind::Venue => "venue",
        Kind::Organizer => "organizer",
        Kind::Category | Kind::Tag => "name",
    }
}

/// The smallest record of a kind.
fn new_record(kind: Kind, made: &str) -> Value {
    let name = name_of(kind);
    match kind {
        Kind::Event => {
            json!({name: made, "start_date": "2035-05-04 19:00:00", "end_date": "2035-05-04 21:00:00"})
        }
        Kind::Venue | Kind::Organizer | Kind::Category | Kind::Tag => json!({name: made}),
    }
}
