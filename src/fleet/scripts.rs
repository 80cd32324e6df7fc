//! The scripts that run in the store. They are sent whole: so no server can lack one, and they are short.

/// Gives a store its random number, and a counter that is never 0, if it lacks one of them: an edge with the counter
/// of before has to notice that it is gone. KEYS: boot, n. ARGV: a random number.
macro_rules! boot {
    () => {
        "\
local boot = redis.call('GET', KEYS[1])
if not boot or not redis.call('GET', KEYS[2]) then
  boot = ARGV[1]
  redis.call('SET', KEYS[1], boot)
  redis.call('SET', KEYS[2], 1)
end
"
    };
}

/// Writes a message to the log, with the next number, which counts only once it is written. KEYS: boot, n, log. ARGV: a
/// random number, edge, kind, body, seal.
macro_rules! send {
    () => {
        concat!(
            boot!(),
            "\
local n = redis.call('GET', KEYS[2]) + 1
redis.call('XADD', KEYS[3], 'MAXLEN', '~', 1000, '*', 'b', boot, 'n', n, 'e', ARGV[2], 'k', ARGV[3], 'm', ARGV[4],
  's', ARGV[5])
redis.call('INCR', KEYS[2])
"
        )
    };
}

/// Reads the end of the log at once, and gives an empty store its random number.
/// KEYS: boot, n, log. ARGV: a random number.
pub(super) const END: &str = concat!(
    boot!(),
    "\
local server = redis.pcall('INFO', 'server')
local line = redis.pcall('INFO', 'replication')
local id = type(server) == 'string' and string.match(server, 'run_id:(%w+)') or ''
local history = type(line) == 'string' and string.match(line, 'master_replid:(%w+)') or ''
local last = redis.call('XREVRANGE', KEYS[3], '+', '-', 'COUNT', 1)
return {id .. '/' .. history, boot, redis.call('GET', KEYS[2]) or '0', last[1] and last[1][1] or '0-0'}
"
);

/// Reads the messages after a place, with the time of the store in microseconds.
/// KEYS: boot, n, log. ARGV: the place, the most entries.
pub(super) const READ: &str = "\
local time = redis.call('TIME')
local read = redis.call('XREAD', 'COUNT', ARGV[2], 'STREAMS', KEYS[3], ARGV[1])
return {time[1] .. string.format('%06d', time[2]), redis.call('GET', KEYS[1]), redis.call('GET', KEYS[2]) or '0',
  read and read[1][2] or {}}
";

/// Appends a message.
/// KEYS: boot, n, log. ARGV: a random number, edge, kind, body, seal.
pub(super) const SEND: &str = concat!(send!(), "return n\n");

/// Writes the standing of a rule, unless it has another version than this edge knows, and appends that to the log.
/// Returns the line that the rule has instead; nothing if it was written.
/// KEYS: boot, n, log, rules. ARGV: a random number, edge, kind, body, seal, rule, the version known, the line.
pub(super) const CHANGE: &str = concat!(
    "\
local line = redis.call('HGET', KEYS[4], ARGV[6])
local version = line and string.match(line, '^%d+') or '0'
if version ~= ARGV[7] then return line or '' end
redis.call('HSET', KEYS[4], ARGV[6], ARGV[8])
",
    send!(),
    "return false"
);

/// Writes what this edge counted, and returns what all have counted. KEYS: counts of a slot. ARGV: edge, line, life in
/// ms.
pub(super) const COUNT: &str = "\
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return redis.call('HGETALL', KEYS[1])
";

/// Writes this edge's line, removes the lines of edges that are gone, and returns the others.
/// KEYS: members. ARGV: edge, line, seconds that a line lives.
pub(super) const MEET: &str = "\
local now = tonumber(redis.call('TIME')[1])
redis.call('HSET', KEYS[1], ARGV[1], now .. ' ' .. ARGV[2])
local lines = redis.call('HGETALL', KEYS[1])
local alive = {}
for i = 1, #lines, 2 do
  local written = tonumber(string.match(lines[i + 1], '^%d+'))
  if written and math.abs(now - written) <= tonumber(ARGV[3]) then
    alive[#alive + 1] = lines[i]; alive[#alive + 1] = lines[i + 1]
  else
    redis.call('HDEL', KEYS[1], lines[i])
  end
end
return alive
";

/// Adds the costs spent from buckets to their levels, or subtracts those given back, and returns the levels: the times
/// in microseconds until they are full. A level is a time of the store's clock, so that no edge's clock matters. A key
/// of a foreign type counts as a full bucket.
/// KEYS: buckets. ARGV for each: the microseconds spent, those of its period, those of the most debt.
pub(super) const SPEND: &str = "\
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local levels = {}
for i, key in ipairs(KEYS) do
  local spent, period, debt = tonumber(ARGV[3 * i - 2]), tonumber(ARGV[3 * i - 1]), tonumber(ARGV[3 * i])
  local known = redis.pcall('GET', key)
  known = type(known) == 'string' and tonumber(known) or 0
  local full = math.min(math.max(now, known) + spent, now + period + debt)
  if full > now then
    redis.call('SET', key, string.format('%.0f', full), 'PX', math.ceil((full - now) / 1000))
  elseif known > now then
    redis.call('DEL', key)
  end
  levels[i] = string.format('%.0f', math.max(full - now, 0))
end
return levels
";

/// Charges one call in all buckets, or in none if one of them has no call, and returns whether it did, and the levels.
/// KEYS: buckets. ARGV for each: the microseconds of the call, those of its period.
pub(super) const CHARGE: &str = "\
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local full, fits = {}, 1
for i, key in ipairs(KEYS) do
  local known = redis.pcall('GET', key)
  full[i] = math.max(now, type(known) == 'string' and tonumber(known) or 0)
  if full[i] + ARGV[2 * i - 1] > now + ARGV[2 * i] then fits = 0 end
end
local levels = {}
for i, key in ipairs(KEYS) do
  if fits == 1 then
    full[i] = full[i] + ARGV[2 * i - 1]
    redis.call('SET', key, string.format('%.0f', full[i]), 'PX', math.ceil((full[i] - now) / 1000))
  end
  levels[i] = string.format('%.0f', full[i] - now)
end
return {fits, levels}
";

/// The server's description of itself, and its time. KEYS: one of the fleet's own.
pub(super) const ABOUT: &str = "\
local facts = ''
for _, section in ipairs({'server', 'memory', 'replication'}) do
  local part = redis.pcall('INFO', section)
  if type(part) == 'string' then facts = facts .. part end
end
return facts .. '\\r\\ntime:' .. redis.call('TIME')[1]
";
