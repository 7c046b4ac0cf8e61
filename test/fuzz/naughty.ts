/** Texts that have broken other programs. Each is a value that a caller may send. */
import fc from 'fast-check'

export const naughtyTexts = [
  '',
  ' ',
  '\t\r\n\v\f',
  '\u00a0\u2003\u3000\ufeff',
  '\0',
  'a\0b',
  '\u0001\u001b[31m\u007f\u0085',
  // Invalid and excessive numbers.
  'NaN',
  'Infinity',
  '-Infinity',
  'null',
  'undefined',
  'true',
  'nil',
  '0x1F',
  '0b1',
  '1e400',
  '-0',
  '1_000',
  '１２３',
  '٣',
  '½',
  '1,5',
  ' 7 ',
  '-1',
  '9223372036854775808',
  '18446744073709551616',
  '9'.repeat(400),
  '0.000000000000000000000000000000001',
  // Scripts, joiners and text directions.
  '😀👩‍👩‍👧‍👦🏴󠁧󠁢󠁥󠁮󠁧󠁿🇷🇺',
  '\u202egnirts\u202c',
  'العربية עברית',
  'Z̸̡̛͔̟͉̺a̵͖l̶͈g̸͎ö̴́',
  'ﬀ Ⅷ ﷺ',
  'ẞß İı ſ',
  '\u0301',
  '\u200b\u200d\u2060',
  '田中さんにあげて下さい',
  '\ud800',
  '\udfff\ud800',
  '\uffff\ufffe',
  // Texts that other programs would run, render or open.
  "' or '1'='1",
  "'; drop table account; --",
  '1; select pg_sleep(10)',
  "$$; copy account to program 'id'; $$",
  '%s%n%p%x',
  '{{7*7}}',
  '${7*7}',
  '#{7*7}',
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  'javascript:alert(1)',
  '../../../../etc/passwd',
  '..\\..\\windows\\win.ini',
  '/dev/zero',
  'file:///etc/passwd',
  'http://169.254.169.254/latest/meta-data/',
  '() { :; }; echo vulnerable',
  '$(sleep 10)',
  '`sleep 10`',
  '| sleep 10',
  '\r\nSet-Cookie: stolen=1',
  '=1+1',
  '%00',
  '%',
  '%zz',
  '*',
  '\\',
  '\\u0000',
  '"',
  '{',
  '[',
  // Names of built-in properties of objects.
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  'length',
  // Inputs with catastrophic backtracking in naive patterns.
  `${'a'.repeat(40)}!`,
  `${'a@'.repeat(60)}`,
  `a@${'a.'.repeat(120)}`,
  // Addresses in all spellings.
  '::ffff:1.2.3.4',
  '0177.0.0.1',
  '2130706433',
  '1.2.3.4/32',
  '1.2.3',
  '256.1.1.1',
  '01.02.03.04',
  'fe80::1%eth0',
]

const long = ['x'.repeat(1001), '😀'.repeat(300), '\u0301'.repeat(2000), '\n'.repeat(5000), '٣'.repeat(9999)]

/** A text of the list, or a random one with lone surrogates and control characters. */
export const naughtyText: fc.Arbitrary<string> = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...naughtyTexts) },
  { weight: 1, arbitrary: fc.constantFrom(...long) },
  { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
  {
    weight: 1,
    arbitrary: fc
      .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 12 })
      .map((units) => String.fromCharCode(...units)),
  },
)

/** Any JSON value, hostile rather than likely. */
export const anyJson: fc.Arbitrary<unknown> = fc.oneof(
  naughtyText,
  fc.constantFrom(0, -0, -1, 0.1, 1e21, -1e308, 5e-324, 2 ** 31, 2 ** 53, 2 ** 63, 2 ** 64, 1e300),
  fc.integer(),
  fc.constantFrom(null, true, false, [], {}, [[]], [null], [{}], { length: 3 }, { toString: null }),
  fc.jsonValue({ maxDepth: 3 }),
)

/** Names of undeclared fields. */
export const strayName: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    '__proto__',
    'constructor',
    'toString',
    'id',
    'user_id',
    'role_id',
    'price',
    'is_admin',
    'provider',
    '',
  ),
  naughtyText,
)

/** Bodies that are not JSON objects, as text. */
export const brokenBodies = [
  '{',
  '{"a":}',
  "{'a':1}",
  '{"a":1,}',
  '{"a":NaN}',
  '{"a":1e}',
  '{"a":01}',
  '{"a":"\u0001"}',
  '{"a":"\\ud800',
  '\ufeff',
  '[]',
  '[{}]',
  '"text"',
  '7',
  'true',
  '<xml/>',
  'a=1&b=2',
  '[',
  '['.repeat(20_000),
  `${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}`,
  'x'.repeat(70_000),
]
