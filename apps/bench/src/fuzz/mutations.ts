import type { RandomChoice } from './random-choice.js';

/** Texts that parsers, databases, terminals or people have misunderstood. */
export const HOSTILE_TEXTS: readonly string[] = [
  '',
  ' ',
  '\t\r\n',
  'undefined',
  'null',
  'true',
  'NaN',
  'Infinity',
  '-1',
  '0',
  '1e400',
  '0x10',
  '9007199254740993',
  '999999999999999999999999999999',
  '１２３',
  '٣٤٥',
  '1/0',
  '\u0000',
  'a\u0000b',
  '\ud800',
  'x\udfffy',
  '\ufeff',
  '\ufffe\uffff',
  '\u202eevitan\u202c',
  '\u200b\u200d\u2060',
  'Z͑ͫ̓ͪ̂ͫ̽͏̴̙̤̞͉͚̯̞̠͍A̴̵̜̰͔ͫ͗͢L̠ͨͧͩ͘G̴̻͈͍͔̹̑͗̎̅͛́Ǫ̵̹̻̝̳͂̌̌͘!',
  '👨‍👩‍👧‍👦🏳️‍🌈',
  'İıſK',
  'ﷺ',
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "' OR '1'='1",
  "'; DROP TABLE userctx.account; --",
  '$1',
  '%s%n%d',
  '${jndi:ldap://127.0.0.1/a}',
  '{{7*7}}',
  '$(sleep 20)',
  '../../../../etc/passwd',
  '..%2f..%2fetc%2fpasswd',
  'C:\\con\\nul',
  'file:///etc/passwd',
  'http://127.0.0.1:1/',
  'javascript:alert(1)',
  '\r\nX-Injected: yes',
  '\x1b[31mred\x1b[0m',
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  '[object Object]',
  '1970-01-01',
  '2024-02-30',
  '9999-12-31T23:59:60Z',
  'Europe/Nowhere',
  '+86',
  '00000000-0000-0000-0000-000000000000',
  'A'.repeat(257),
  '中'.repeat(5_000),
  '\\',
  '"',
  '[',
  '(((((((((((((((((((((((((((((((((((((((((a+)+)+)+)+)+)+$',
];

const HOSTILE_NUMBERS: readonly number[] = [
  0,
  -1,
  0.1,
  -0.5,
  2 ** 31 - 1,
  2 ** 31,
  -(2 ** 31) - 1,
  2 ** 32,
  Number.MAX_SAFE_INTEGER,
  2 ** 53,
  2 ** 63,
  1e21,
  1e308,
  5e-324,
  8_640_000_000_000_001,
];

/** Marks JSON text that no JavaScript value yields, such as a number of 400 digits. `encodeJson` inserts it as it is. */
const RAW_START = '\u0001raw:';
const RAW_END = ':raw\u0001';
const RAW_VALUES: readonly string[] = [
  '1e400',
  '-0',
  '-1e-400',
  '9'.repeat(400),
  '0.1' + '0'.repeat(300) + '1',
  '"\\ud800"',
  '"\\u0000"',
  '{"__proto__":{"polluted":true}}',
  '{"constructor":{"prototype":{"polluted":true}}}',
  '{"a":1,"a":2}',
  '['.repeat(40) + ']'.repeat(40),
];

const PROTOTYPE_NAMES = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'valueOf',
  'hasOwnProperty',
  'then',
  '__defineGetter__',
];

/** Returns a value that a field does not expect. */
export function hostileValue(random: RandomChoice): unknown {
  return random.pick<() => unknown>([
    () => random.pick(HOSTILE_TEXTS),
    () => random.pick(HOSTILE_TEXTS),
    () => random.pick(HOSTILE_NUMBERS),
    () => RAW_START + random.pick(RAW_VALUES) + RAW_END,
    () =>
      random.pick<unknown>([
        null,
        true,
        false,
        [],
        {},
        [[]],
        [null],
        [{}],
        { length: 3 },
        { toString: 1 },
        { then: 1 },
      ]),
    () => Object.fromEntries(PROTOTYPE_NAMES.slice(1).map((name) => [name, { x: 1 }])),
    () => random.bytes(random.integer(1, 40)),
    () => nested(random.integer(5, 300), random.chance(0.5)),
    () => Array.from({ length: random.pick([50, 1_001, 5_000]) }, () => 1),
    () => 'x'.repeat(random.pick([257, 4_097, 70_000, 250_000])),
  ])();
}

/** Replaces, removes, repeats, adds or nests one value at a random place of a JSON value. */
export function mutateValue(value: unknown, random: RandomChoice): unknown {
  if (typeof value !== 'object' || value === null) return hostileValue(random);
  const isList = Array.isArray(value);
  const names = Object.keys(value);
  if (names.length === 0 || random.chance(0.06)) return hostileValue(random);
  const copy = (isList ? [...(value as unknown[])] : { ...value }) as Record<string, unknown>;
  const name = random.pick(names);
  const current = copy[name];
  if (typeof current === 'object' && current !== null && random.chance(0.7)) copy[name] = mutateValue(current, random);
  else
    random.pick<() => void>([
      () => (copy[name] = hostileValue(random)),
      () => (copy[name] = hostileValue(random)),
      () => (copy[name] = swapType(current)),
      () => Reflect.deleteProperty(copy, name),
      () => (copy[name] = [current, current]),
      () => (copy[name] = { [name]: current }),
      () => (copy[name] = typeof current === 'string' ? current + random.pick(HOSTILE_TEXTS) : null),
      () =>
        Object.defineProperty(copy, random.pick(PROTOTYPE_NAMES), { value: hostileValue(random), enumerable: true }),
      () => (copy[random.pick(HOSTILE_TEXTS)] = hostileValue(random)),
    ])();
  return isList ? Object.values(copy) : copy;
}

function swapType(value: unknown): unknown {
  if (typeof value === 'number') return String(value);
  if (typeof value === 'string') return Number.isNaN(Number(value)) ? value.length : Number(value);
  if (typeof value === 'boolean') return Number(value);
  // An earlier mutation may have replaced the methods that convert an object to text.
  return typeof value === 'object' && value !== null ? '[object Object]' : String(value);
}

function nested(depth: number, inLists: boolean): unknown {
  let value: unknown = 1;
  for (let level = 0; level < depth; level += 1) value = inLists ? [value] : { a: value };
  return value;
}

/** Returns the JSON text of a value with its raw parts. */
export function encodeJson(value: unknown): string {
  return (JSON.stringify(value) ?? 'null').replace(
    /"\\u0001raw:((?:[^\\]|\\(?!u0001))*):raw\\u0001"/g,
    (_, raw: string) => JSON.parse(`"${raw}"`) as string,
  );
}

/** Returns JSON text that is invalid, ambiguous or expensive to parse. */
export function mutateText(text: string, random: RandomChoice): Buffer {
  const middle = random.integer(0, text.length);
  const latin = (part: string) => Buffer.from(part, 'latin1');
  return random.pick<() => Buffer>([
    () => Buffer.from(`\ufeff${text}`),
    () => Buffer.from(text.slice(0, middle)),
    () => Buffer.from(`${text}${text}`),
    () => Buffer.from(text.replace('{', '{"__proto__":null,"__proto__":{"x":1},')),
    () => Buffer.from(text.replace(/"(\w+)":/, '"$1":"first","$1":')),
    () => Buffer.from('['.repeat(random.pick([1_000, 100_000]))),
    () => Buffer.from('{"a":'.repeat(random.pick([1_000, 50_000]))),
    () => Buffer.from(`{${Array.from({ length: 20_000 }, (_, index) => `"${index}":1`).join()}}`),
    () => Buffer.concat([Buffer.from(text.slice(0, middle)), latin(random.bytes(8)), Buffer.from(text.slice(middle))]),
    () => Buffer.concat([latin('\xff\xfe'), Buffer.from(text, 'utf16le')]),
    () => Buffer.from(text.replaceAll('"', "'")),
    () => Buffer.from(text.replace(/\}$/, ',}')),
    () => Buffer.from(`/* */${text}// x`),
    () => Buffer.from(text.replace(/:\s*\d+/, ':NaN')),
    () => Buffer.from(' '.repeat(200_000) + text),
    () => Buffer.from(`"${'x'.repeat(300_000)}"`),
    () => latin(random.bytes(random.integer(1, 600))),
    () => Buffer.alloc(0),
  ])();
}

/** Headers with which servers and proxies have been confused. */
export const HOSTILE_HEADERS: readonly Readonly<Record<string, string>>[] = [
  { 'content-type': 'text/plain' },
  { 'content-type': 'application/json; charset=utf-16' },
  { 'content-type': 'application/json; charset=' },
  { 'content-type': 'application/json, application/json' },
  { 'content-type': 'application/jsonp' },
  { 'content-type': 'multipart/form-data; boundary=' },
  { 'content-type': 'application/x-www-form-urlencoded' },
  { 'content-type': ';'.repeat(2_000) },
  { 'content-encoding': 'gzip' },
  { 'content-encoding': 'br, gzip, deflate' },
  { 'accept-encoding': `${'gzip,'.repeat(500)}br` },
  { accept: '*/*;q=2, text/html;q=NaN' },
  { 'accept-language': `${'zh-'.repeat(400)}CN` },
  { authorization: 'Bearer ' },
  { authorization: 'Bearer null' },
  { authorization: 'Bearer a.b.c' },
  { authorization: 'Bearer eyJhbGciOiJub25lIn0.e30.' },
  { authorization: `Bearer ${'A'.repeat(7_000)}` },
  { authorization: 'Basic YWRtaW46YWRtaW4=' },
  { authorization: 'bearer\ttoken, Bearer token' },
  { cookie: `a=${'b'.repeat(3_000)}` },
  { 'idempotency-key': '' },
  { 'idempotency-key': 'x'.repeat(129) },
  { 'idempotency-key': '__proto__' },
  { 'idempotency-key': "'; DROP TABLE x; --" },
  { range: 'bytes=0-0,1-1,2-2,3-3,4-4,5-5,6-6,7-7' },
  { range: 'bytes=-9223372036854775808' },
  { range: 'bytes=9-1' },
  { 'if-none-match': `${'W/"x",'.repeat(300)}*` },
  { 'if-modified-since': 'yesterday' },
  { 'if-range': '"' },
  { 'x-forwarded-for': '127.0.0.1, ::1, unknown, 999.1.1.1' },
  { 'x-forwarded-host': 'evil.example' },
  { 'x-forwarded-proto': 'ftp' },
  { forwarded: 'for="[::1]";proto=https' },
  { 'x-real-ip': "127.0.0.1'--" },
  { host: 'evil.example:0' },
  { 'x-http-method-override': 'DELETE' },
  { 'x-request-id': 'r'.repeat(300) },
  { traceparent: '00-00000000000000000000000000000000-0000000000000000-ff' },
  { traceparent: 'ff-x' },
  { 'user-agent': 'x'.repeat(4_000) },
  { 'tus-resumable': '9.9.9', 'upload-length': '-1', 'upload-offset': 'NaN', 'upload-metadata': '=,,' },
  { 'upload-offset': '99999999999999999999' },
  { 'app-version': '0.0.0-', 'x-app-version': '999999999999.1.1', 'x-platform': 'constructor' },
  { upgrade: 'h2c', connection: 'Upgrade, HTTP2-Settings', 'http2-settings': 'AAMAAABk' },
  { expect: '200-ok' },
  { te: 'trailers, deflate;q=0.5' },
];

export const METHODS: readonly string[] = [
  'GET',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'HEAD',
  'OPTIONS',
  'TRACE',
  'PROPFIND',
  'QUERY',
  'SEARCH',
  'MERGE',
];

/** Parts of a URL that are invalid or ambiguous. */
export const HOSTILE_URL_PARTS: readonly string[] = [
  '%',
  '%zz',
  '%00',
  '%ff%fe',
  '%c0%ae%c0%ae',
  '%e2%80%ae',
  '%ed%a0%80',
  '..',
  '.',
  '//',
  '/%2e%2e/',
  '%2f',
  '%5c',
  ';',
  ';x=y',
  '?',
  '&&&=',
  '[]=1&[]=2',
  'a[b][c][d]=1',
  '__proto__[x]=1',
  'cid=1&cid=2',
  'x='.repeat(500),
  'x'.repeat(9_000),
];
