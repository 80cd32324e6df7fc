-- A create of an event without credentials.
wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"
wrk.body = '{"title":"Concert in the park","start_date":"2027-06-01 18:00:00","end_date":"2027-06-01 21:00:00"}'
