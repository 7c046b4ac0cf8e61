/** A shop's evidence about a disputed sale: who bought, what was delivered, from where it was used. */
import type { Kysely } from 'kysely'
import { accountById, type AccountLine, sessionsOfAccount, signInsOf, signUpConsents } from '#accounts'
import { listVersions, readContent } from '#content'
import type { Language } from '#contract/language'
import { bytesPerGb } from '#contract/wire'
import type { DB } from '#db'
import { documentsOf, type Evidence, type EvidenceSection } from '#documents'
import { usdText } from '#lib/money'
import { hourOf } from '#lib/zone'
import { lettersTo } from '#mail'
import { disputesOf, type Invoice, paymentsOf } from '#purchase'
import { findConnections } from '#requests'
import { consentsOf } from '#topup'
import { usageBy } from '#traffic'
import { evidenceWords, type EvidenceTexts } from './evidence.words.ts'

type Db = Kysely<DB>

const hourMs = 3_600_000
/** Connections that are read for the addresses; the paper says when there are more. */
const mostConnections = 5000
/** The maximum number of hours of usage in the paper; further hours are summed in one line. */
const mostHours = 500

const time = (at: Date | null) =>
  at === null ? '' : `${at.toISOString().slice(0, 19).replace('T', ' ')} UTC`
const gb = (bytes: bigint) => `${(Number((bytes * 1000n) / bytesPerGb) / 1000).toFixed(3)} GB`

/** The pack of an invoice that is disputed, in a language. */
export async function evidenceOf(db: Db, invoice: Invoice, language: Language, now: Date): Promise<Evidence> {
  const w = evidenceWords[language]
  const account = await accountById(db, invoice.accountId)
  const { brand, seller } = await readContent(db)
  const own = seller[language] ?? seller.en ?? seller.ru
  const since = invoice.settledAt ?? invoice.createdAt
  return {
    title: w.title(invoice.number),
    subtitle: w.subtitle(time(now)),
    seller: own?.name ?? brand.name,
    language,
    sections: [
      await saleSection(db, w, invoice),
      await disputeSection(db, w, invoice),
      await customerSection(db, w, account, now),
      await signInSection(db, w, invoice),
      await termsSection(db, w, invoice),
      await agreedSection(db, w, invoice),
      await consentSection(db, w, invoice),
      await usageSection(db, w, invoice, { since, now }),
      await addressSection(db, w, invoice, { since, now }),
      await lettersSection(db, w, account?.email ?? null),
    ],
  }
}

async function saleSection(db: Db, w: EvidenceTexts, invoice: Invoice): Promise<EvidenceSection> {
  const documents = await documentsOf(db, invoice.id)
  const payments = await paymentsOf(db, invoice.id)
  return {
    title: w.sale,
    facts: [
      [w.invoice, invoice.number],
      [w.documents, documents.map(({ number, kind }) => `${w.kind[kind]} ${number}`).join(', ')],
      [w.ordered, time(invoice.createdAt)],
      [w.goods, w.traffic(Number(invoice.gb), invoice.pool)],
      [w.cost, `${usdText(invoice.dueMicros, 2)} USD`],
      [w.collected, `${usdText(invoice.price.micros, 2)} ${invoice.price.currency}`],
      [w.processor, `${invoice.method} ${invoice.externalId ?? ''}`],
      [
        w.paid,
        payments.map((one) => `${usdText(one.received_micros, 2)} USD, ${time(one.received_at)}`).join('; '),
      ],
      [w.delivered, `${gb(invoice.creditedBytes)}, ${time(payments[0]?.received_at ?? null)}`],
    ],
    note: w.deliveredNote,
  }
}

async function disputeSection(db: Db, w: EvidenceTexts, invoice: Invoice): Promise<EvidenceSection> {
  const disputes = await disputesOf(db, invoice.id)
  return {
    title: w.dispute,
    facts: disputes.flatMap((one): [string, string][] => [
      [w.disputeId, one.dispute_id],
      [w.opened, time(one.opened_at)],
      [w.disputed, `${usdText(one.amount_micros, 2)} ${one.currency}`],
      [w.respondBy, time(one.respond_by)],
    ]),
    ...(disputes.length === 0 ? { note: w.known(time(invoice.disputedAt)) } : {}),
  }
}

async function customerSection(
  db: Db,
  w: EvidenceTexts,
  account: AccountLine | null,
  now: Date,
): Promise<EvidenceSection> {
  if (account === null) return { title: w.customer, note: w.noCustomer }
  const sessions = await sessionsOfAccount(db, account.id, now)
  return {
    title: w.customer,
    facts: [
      [w.account, String(account.id)],
      [w.username, account.username ?? ''],
      [
        w.email,
        account.email === null
          ? ''
          : `${account.email} (${account.isConfirmed ? w.confirmed : w.unconfirmed})`,
      ],
      [w.joined, time(account.createdAt)],
    ],
    table: {
      columns: [
        { name: w.signedIn, width: 0.5 },
        { name: w.lastUsed, width: 0.5 },
      ],
      rows: sessions.map((one) => [time(one.created_at), time(one.used_at)]),
    },
    note: w.signInNote,
  }
}

async function signInSection(db: Db, w: EvidenceTexts, { accountId }: Invoice): Promise<EvidenceSection> {
  const signIns = await signInsOf(db, accountId)
  return {
    title: w.signIns,
    table: {
      columns: [
        { name: w.at, width: 0.3 },
        { name: w.address, width: 0.4 },
        { name: w.way, width: 0.3 },
      ],
      rows: signIns.map(({ at, ip, way }) => [time(at), ip, w.ways[way]]),
    },
    note: w.signInsNote,
  }
}

/** The consents that the customer gave with their own texts: version, time and address. */
async function consentSection(db: Db, w: EvidenceTexts, { accountId }: Invoice): Promise<EvidenceSection> {
  const consents = await consentsOf(db, accountId)
  return {
    title: w.consents,
    table: {
      columns: [
        { name: w.consent, width: 0.3 },
        { name: w.versionOf, width: 0.1 },
        { name: w.given, width: 0.22 },
        { name: w.address, width: 0.16 },
        { name: w.ended, width: 0.22 },
      ],
      rows: consents.map((one) => [
        [w.consentTo[one.kind], one.pool].filter((part) => part !== null).join(', '),
        String(one.version),
        time(one.givenAt),
        one.ip ?? '',
        time(one.endedAt),
      ]),
    },
    note: w.consentsNote,
  }
}

/** What the customer agreed to when they signed up: document, version, hash, time and address. */
async function agreedSection(db: Db, w: EvidenceTexts, { accountId }: Invoice): Promise<EvidenceSection> {
  const consents = await signUpConsents(db, accountId)
  return {
    title: w.agreed,
    table: {
      columns: [
        { name: w.document, width: 0.34 },
        { name: w.versionOf, width: 0.12 },
        { name: w.hash, width: 0.14 },
        { name: w.given, width: 0.22 },
        { name: w.address, width: 0.18 },
      ],
      rows: consents.map((one) => [
        one.title,
        one.isDraft ? w.draft : one.version === null ? w.unpublished : String(one.version),
        one.sha256.toString('hex').slice(0, 12),
        time(one.givenAt),
        one.ip ?? (one.way === 'telegram' ? 'Telegram' : ''),
      ]),
    },
    note: consents.length === 0 ? w.notAgreed : w.agreedNote,
  }
}

/** The terms that were published when the order was made. */
async function termsSection(db: Db, w: EvidenceTexts, invoice: Invoice): Promise<EvidenceSection> {
  const facts: [string, string][] = []
  for (const part of ['rules', 'legal'] as const) {
    const versions = await listVersions(db, { part, before: null, limit: 200 })
    const version = versions.find(({ at }) => at <= invoice.createdAt)
    facts.push([
      w.part[part],
      version === undefined ? w.ownText : w.version(String(version.id), time(version.at)),
    ])
  }
  return { title: w.terms, facts, note: w.termsNote }
}

interface Span {
  since: Date
  now: Date
}

async function usageSection(
  db: Db,
  w: EvidenceTexts,
  { accountId, pool }: Invoice,
  { since, now }: Span,
): Promise<EvidenceSection> {
  const period = { from: hourOf(since), to: new Date(hourOf(now).getTime() + hourMs) }
  const hours = await usageBy(db, { by: 'hour', accountId, pool, ...period })
  const all = hours.reduce((sum, { chargedBytes }) => sum + chargedBytes, 0n)
  return {
    title: w.usage,
    facts: [[w.usedSince, gb(all)]],
    table: {
      columns: [
        { name: w.hour, width: 0.4 },
        { name: w.charged, width: 0.3 },
        { name: w.requests, width: 0.3 },
      ],
      rows: hours
        .slice(0, mostHours)
        .map(({ key, chargedBytes, requests }) => [time(new Date(key)), gb(chargedBytes), String(requests)]),
    },
    note: hours.length > mostHours ? w.moreHours(hours.length - mostHours) : w.usageNote,
  }
}

async function addressSection(
  db: Db,
  w: EvidenceTexts,
  { accountId }: Invoice,
  { since, now }: Span,
): Promise<EvidenceSection> {
  const { rows, next } = await findConnections(
    db,
    { account: accountId, from: since, to: now },
    { limit: mostConnections },
  )
  const clients = Map.groupBy(
    rows.filter(({ client }) => client !== null),
    ({ client }) => client ?? '',
  )
  const lines = [...clients].map(([client, some]) => {
    const started = some.map(({ startedAt }) => startedAt.getTime())
    const bytes = some.reduce((sum, { chargedBytes }) => sum + chargedBytes, 0n)
    return { client, count: some.length, bytes, first: Math.min(...started), last: Math.max(...started) }
  })
  return {
    title: w.addresses,
    table: {
      columns: [
        { name: w.address, width: 0.3 },
        { name: w.connections, width: 0.12 },
        { name: w.charged, width: 0.14 },
        { name: w.first, width: 0.22 },
        { name: w.last, width: 0.22 },
      ],
      rows: lines
        .toSorted((a, b) => b.count - a.count)
        .map((one) => [
          one.client,
          String(one.count),
          gb(one.bytes),
          time(new Date(one.first)).slice(0, 16),
          time(new Date(one.last)).slice(0, 16),
        ]),
    },
    note: next === null ? w.addressNote : w.moreConnections(mostConnections),
  }
}

const letterName = ({ letterNames }: EvidenceTexts, template: string): string =>
  Object.entries(letterNames).find(([name]) => name === template)?.[1] ?? template

async function lettersSection(db: Db, w: EvidenceTexts, email: string | null): Promise<EvidenceSection> {
  const letters = email === null ? [] : await lettersTo(db, email, { after: null, limit: 100 })
  return {
    title: w.letters,
    table: {
      columns: [
        { name: w.letter, width: 0.5 },
        { name: w.sent, width: 0.5 },
      ],
      rows: letters.map((one) => [letterName(w, one.template), time(one.sentAt) || w.unsent]),
    },
    note: w.lettersNote,
  }
}
