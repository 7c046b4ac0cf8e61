/** Consents given at sign-up, through the call and in the database. */
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Part } from '#contract/desk/content'
import { resetPart, writePart } from '#content'
import type { Input } from '#contract/contract'
import { transaction } from '#db'
import { type App, app, refusalOf } from '#test/app'
import { eraseAccount, signUpConsents } from '../accounts.ts'

let shop: App
beforeAll(async () => {
  shop = await app()
})
afterAll(() => shop.close())

const db = () => shop.database.db
const edit = { by: 'a test', at: new Date() }
const write = (part: Part, change: unknown) =>
  transaction(db(), async (tx) => writePart(tx, part, change, edit))

let people = 0
const fresh = () => {
  const username = `consenting${++people}`
  return { username, email: `${username}@example.com`, password: 'a long password' }
}
type Consents = NonNullable<Input<'signup'>['consents']>

const shown = async (language: 'ru' | 'en' = 'ru'): Promise<Consents> => {
  const documents = await shop.client(null, language)('sign_up_documents', {})
  return documents.map(({ document, sha256 }) => ({ document, sha256 }))
}
const idOf = async ({ username }: { username: string }) =>
  (await db().selectFrom('account').select('id').where('username', '=', username).executeTakeFirst())?.id
const consentsOf = async (person: { username: string }) => signUpConsents(db(), (await idOf(person)) ?? 0n)
/** A sign-up from an address of its own, since they are counted by address. */
const signUp = (input: Input<'signup'>) => shop.from(`203.0.113.${++people}`)('signup', input)

describe('signup with consents', () => {
  it('keeps which text was agreed to, its version, when and from where', async () => {
    const person = fresh()
    const consents = await shown()
    expect(await signUp({ ...person, consents })).toBe(true)
    const kept = await consentsOf(person)
    expect(kept.map(({ document, sha256 }) => ({ document, sha256: sha256.toString('hex') }))).toEqual(
      consents,
    )
    expect(kept[0]).toMatchObject({ way: 'site', version: null, isDraft: true, title: 'Публичная оферта' })
    expect(kept[0]?.ip).toMatch(/^203\.0\.113\./)
    expect(kept[1]).toMatchObject({ document: 'rules', isDraft: false })

    const published = await write('legal', {
      ru: { terms: { title: 'Оферта', text: 'Наша' }, privacy: null },
    })
    const later = fresh()
    await signUp({ ...later, consents: await shown() })
    const [terms] = await consentsOf(later)
    expect(terms).toMatchObject({ title: 'Оферта', version: published?.version, isDraft: false })
    await transaction(db(), async (tx) => resetPart(tx, 'legal', null, edit))
  })

  it('records nothing for a sign-up without consents', async () => {
    const person = fresh()
    expect(await signUp(person)).toBe(true)
    expect(await consentsOf(person)).toEqual([])
  })

  it.each([
    [
      'a text that is not shown any more',
      (all: Consents) => all.map((one) => ({ ...one, sha256: '0'.repeat(64) })),
    ],
    ['one document less', (all: Consents) => all.slice(0, -1)],
    ['none of them', () => []],
    ['one twice in place of another', ([first, second]: Consents) => [first, first, second] as Consents],
    [
      'hashes that are interchanged',
      ([a, b, c]: Consents) => [{ ...a, sha256: b?.sha256 }, { ...b, sha256: a?.sha256 }, c] as Consents,
    ],
  ] as const)('refuses %s, and makes no account', async (_what, change) => {
    const person = fresh()
    const consents = change(await shown())
    expect(await refusalOf(signUp({ ...person, consents }))).toMatchObject({
      code: 'consents_outdated',
      status: 422,
    })
    expect(await idOf(person)).toBeUndefined()
  })

  it('refuses consents to an outdated document, or to one in another language', async () => {
    const before = await shown()
    await write('rules', {
      ru: {
        title: 'Правила',
        subtitle: 'Новые',
        rules: [{ text: 'Одно', more_link: null }],
        partner: null,
        ending: 'Всё',
        note: 'Да',
      },
    })
    expect((await refusalOf(signUp({ ...fresh(), consents: before }))).code).toBe('consents_outdated')
    expect((await refusalOf(signUp({ ...fresh(), consents: await shown('en') }))).code).toBe(
      'consents_outdated',
    )
    await transaction(db(), async (tx) => resetPart(tx, 'rules', null, edit))
    expect(await signUp({ ...fresh(), consents: before })).toBe(true)
  })

  it('keeps a text once, however many people agree to it at the same time', async () => {
    const consents = await shown('en')
    const crowd = Array.from({ length: 6 }, fresh)
    await Promise.all(crowd.map((person) => shop.client(null, 'en')('signup', { ...person, consents })))
    for (const person of crowd) expect(await consentsOf(person)).toHaveLength(3)
    const { rows } = await sql<{ count: bigint }>`
      select count(*) from shown_document where sha256 = decode(${consents[0]?.sha256}, 'hex')`.execute(db())
    expect(rows[0]?.count).toBe(1n)
  })

  it('is never changed or deleted; an erasure empties the address and the browser only', async () => {
    const person = fresh()
    await signUp({ ...person, consents: await shown() })
    const accountId = (await idOf(person)) ?? 0n
    const before = await consentsOf(person)
    for (const change of [
      sql`update sign_up_consent set given_at = now() where account_id = ${accountId}`,
      sql`update sign_up_consent set ip = '198.51.100.1' where account_id = ${accountId}`,
      sql`update sign_up_consent set ip = null, user_agent = null, document = 'rules' where account_id = ${accountId}`,
      sql`delete from sign_up_consent where account_id = ${accountId}`,
      sql`update shown_document set text = ''`,
      sql`delete from shown_document`,
      sql`truncate shown_document, sign_up_consent`,
    ])
      await expect(change.execute(db())).rejects.toThrow('append-only')
    await transaction(db(), async (tx) => eraseAccount(tx, accountId, new Date()))
    expect(await signUpConsents(db(), accountId)).toEqual(before.map((one) => ({ ...one, ip: null })))
  })
})
