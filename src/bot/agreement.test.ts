/**
 * Consent of new customers in the bot: the documents with their links, and the record that the button makes.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { signUpConsents } from '#accounts'
import { resetPart, writePart } from '#content'
import { transaction } from '#db'
import { type BotShop, botShop } from '#test/bot'

let bot: BotShop
beforeAll(async () => {
  bot = await botShop()
})
afterAll(() => bot.close())

const db = () => bot.shop.database.db
const edit = { by: 'a test', at: new Date() }
const writeTerms = (text: string) =>
  transaction(db(), async (tx) =>
    writePart(tx, 'legal', { ru: { terms: { title: 'Оферта', text }, privacy: null } }, edit),
  )

const consentsOf = async (person: { id: number }) => {
  const { account_id: accountId } = await db()
    .selectFrom('telegram_identity')
    .select('account_id')
    .where('telegram_user_id', '=', BigInt(person.id))
    .executeTakeFirstOrThrow()
  return signUpConsents(db(), accountId)
}

describe('the first start of the bot', () => {
  it('names the documents with their links, and records once that they are accepted', async () => {
    const person = bot.telegram.person({ language_code: 'en' })
    person.say('/start')
    const { text, buttons } = await person.hears()
    expect(text).toContain('separately, to the processing of your personal data')
    const links = buttons.flatMap(({ url }) => (url === undefined ? [] : [new URL(url).pathname]))
    expect(links).toEqual(['/en/terms', '/en/rules', '/en/personal-data'])
    expect(await consentsOf(person)).toEqual([])
    person.press('Accept and continue')
    expect((await person.hears(2)).text).toContain('that is noted')
    const kept = await consentsOf(person)
    expect(kept.map(({ document, way, ip }) => ({ document, way, ip }))).toEqual(
      (['terms', 'rules', 'personal_data'] as const).map((document) => ({
        document,
        way: 'telegram',
        ip: null,
      })),
    )
    person.say('/start')
    const again = await person.hears(3)
    expect(again.text).toBe('Welcome back. What would you like to do?')
    expect(again.buttons.map((button) => button.text)).toContain('Balance')
  })

  it('asks again until they are accepted', async () => {
    const person = bot.telegram.person({ language_code: 'ru' })
    person.say('/start')
    await person.hears()
    person.say('/start')
    const { text, buttons } = await person.hears(2)
    expect(text).toMatch(/^С возвращением.*Прочитайте документы/s)
    expect(buttons.at(-1)?.text).toBe('Принимаю и продолжаю')
  })

  it('shows the documents again when they changed before the button was pressed', async () => {
    const person = bot.telegram.person({ language_code: 'ru' })
    person.say('/start')
    await person.hears()
    const published = await writeTerms('Новая')
    person.press('Принимаю и продолжаю')
    const { text, buttons } = await person.hears(2)
    expect(text).toContain('документы изменились')
    expect(buttons[0]?.text).toBe('Оферта')
    expect(await consentsOf(person)).toEqual([])
    person.press('Принимаю и продолжаю')
    await person.hears(3)
    expect((await consentsOf(person))[0]).toMatchObject({ title: 'Оферта', version: published?.version })
    await transaction(db(), async (tx) => resetPart(tx, 'legal', null, edit))
  })

  it('does not ask a customer of the site', async () => {
    const { person } = await bot.linked()
    person.say('/start')
    expect((await person.hears(3)).text).toBe('Welcome back. What would you like to do?')
  })
})
