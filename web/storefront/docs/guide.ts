/** The sections of the documentation before the calls: the texts of each, and what it shows below them. */
import { targetingKeys } from '#contract/openapi/targeting.keys'
import type { Key } from '../../state/text-keys.ts'

type Text = Key<'docs'>

export interface Row {
  /** What the row explains, as it is written on the wire. */
  name: string
  text: Text
}

export interface Section {
  id: string
  title: Text
  paragraphs: readonly Text[]
  rows?: readonly Row[]
  /** What the section shows below its texts. */
  extra?: 'firstRequest' | 'error' | 'ports' | 'codes' | 'changes'
}

const rows = (texts: Readonly<Record<string, Text>>): Row[] =>
  Object.entries(texts).map(([name, text]) => ({ name, text }))

const apiSections: readonly Section[] = [
  {
    id: 'start',
    title: 'start.title',
    paragraphs: ['start.token', 'start.list', 'start.request'],
    extra: 'firstRequest',
  },
  {
    id: 'authentication',
    title: 'auth.title',
    paragraphs: ['auth.token', 'auth.rotate', 'auth.secret', 'auth.cors'],
  },
  {
    id: 'errors',
    title: 'errors.title',
    paragraphs: ['errors.shape', 'errors.support'],
    extra: 'error',
    rows: rows({
      '400, 413, 415, 422': 'errors.request',
      '401 unauthorized': 'errors.unauthorized',
      '402': 'errors.money',
      '403, 404, 409': 'errors.code',
      '405 method_not_allowed': 'errors.method',
      '429 too_many_requests': 'errors.often',
      '500, 503': 'errors.server',
    }),
  },
  {
    id: 'limits',
    title: 'limits.title',
    paragraphs: ['limits.calls', 'limits.cost', 'limits.size'],
    rows: rows({
      'x-ratelimit-limit': 'limits.limit',
      'x-ratelimit-remaining': 'limits.remaining',
      'x-ratelimit-reset': 'limits.reset',
      'ratelimit-policy': 'limits.policy',
      ratelimit: 'limits.states',
      'retry-after': 'limits.after',
    }),
  },
  { id: 'retries', title: 'retries.title', paragraphs: ['retries.key', 'retries.again'] },
  {
    id: 'numbers',
    title: 'numbers.title',
    paragraphs: ['numbers.rule', 'numbers.exact'],
    // A list, because an object would put its whole-number keys first.
    rows: [
      { name: '5000', text: 'numbers.wholeGb' },
      { name: '5', text: 'numbers.wholeMb' },
      { name: '0.0053', text: 'numbers.smallMb' },
      { name: '1.25', text: 'numbers.gb' },
      { name: '12345.6', text: 'numbers.mb' },
    ],
  },
  {
    id: 'reselling-guide',
    title: 'resellers.title',
    paragraphs: [
      'resellers.flow',
      'resellers.buy',
      'resellers.users',
      'resellers.give',
      'resellers.usage',
      'resellers.price',
    ],
  },
  { id: 'api-changes', title: 'changes.title', paragraphs: ['changes.text'], extra: 'changes' },
]

const keyTexts: Readonly<Record<keyof typeof targetingKeys, Text>> = {
  cc: 'targeting.cc',
  st: 'targeting.st',
  city: 'targeting.city',
  zip: 'targeting.zip',
  asn: 'targeting.asn',
  xasn: 'targeting.xasn',
  sid: 'targeting.sid',
  ttl: 'targeting.ttl',
  anon: 'targeting.anon',
  set: 'targeting.set',
}

const isKey = (name: string): name is keyof typeof targetingKeys => Object.hasOwn(targetingKeys, name)

const gatewaySections: readonly Section[] = [
  {
    id: 'connect',
    title: 'connect.title',
    paragraphs: ['connect.ports', 'connect.login', 'connect.http', 'connect.byAddress', 'connect.charged'],
    extra: 'ports',
  },
  {
    id: 'formats',
    title: 'formats.title',
    paragraphs: ['formats.text'],
    rows: rows({
      'login:password:hostname:port': 'formats.plain',
      'login:password@hostname:port': 'formats.url',
      'hostname:port@login:password': 'formats.hostAt',
      'hostname:port:login:password': 'formats.hostFirst',
      'hostname:port': 'formats.noLogin',
    }),
  },
  {
    id: 'targeting',
    title: 'targeting.title',
    paragraphs: [
      'targeting.text',
      'targeting.lists',
      'targeting.strict',
      'targeting.double',
      'targeting.others',
    ],
    rows: Object.keys(targetingKeys)
      .filter(isKey)
      .map((key) => ({ name: targetingKeys[key], text: keyTexts[key] })),
  },
  {
    id: 'sessions',
    title: 'sessions.title',
    paragraphs: ['sessions.sticky', 'sessions.rotating', 'sessions.lost'],
  },
  {
    id: 'gateway-answers',
    title: 'answers.title',
    paragraphs: ['answers.text'],
    rows: rows({ 'Proxy-Status': 'answers.status', 'X-Request-Id': 'answers.id' }),
    extra: 'codes',
  },
]

export const guide: readonly { title: Text; sections: readonly Section[] }[] = [
  { title: 'group.api', sections: apiSections },
  { title: 'group.gateway', sections: gatewaySections },
]
