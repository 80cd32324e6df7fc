-- A create of an event with credentials.
wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"
wrk.headers["Authorization"] = "Basic ZWRpdG9yOnNlY3JldA=="
wrk.body = '{"title":"Concert in the park","description":"<p>Bring a blanket.</p>","start_date":"2027-06-01 18:00:00","end_date":"2027-06-01 21:00:00","venue":7,"organizer":[9],"cost":"10"}'
