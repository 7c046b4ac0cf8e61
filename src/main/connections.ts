/**
 * Tests of connections for the desk: the payment processors, the mail server, the bot. Each asks with the keys
 * in force in this process, within a time limit. Nothing of a processor's answer is shown but its status: the
 * address of a processor may be chosen at the desk, and an answer may repeat the key.
 */
import path from 'node:path'
import { RefusedByTelegram } from '#bot'
import { connections, type TestedGroup } from '#contract/desk/variables'
import type { Language } from '#contract/language'
import { brandOfLetters } from '#content'
import type { TestConnection, TestedConnection } from '#desk'
import { excerpt } from '#lib/fetch-text'
import { noteMailTest, type TestedServer } from '#mail'
import { withTimeout } from '#lib/timeout'
import { ProcessorFault } from '#payments'
import { botOf } from './bot.ts'
import type { Services } from './services.ts'
import type { Settings } from './settings/settings.ts'

/** The maximum duration of a test. */
const testMs = 20_000

const good = (said: TestedConnection['said']): TestedConnection => ({ isGood: true, said })
const bad = (said: TestedConnection['said']): TestedConnection => ({ isGood: false, said })
const nothingToTest = bad({ code: 'connection_none', facts: {} })

/** Tests a connection of this process. */
export const connectionTests =
  (services: Services): TestConnection =>
  (group, { to, language }) => {
    const late = () =>
      bad({ code: 'connection_late', facts: { name: nameOf(group), seconds: testMs / 1000 } })
    const test =
      group === 'mail'
        ? testMail(services, to, language)
        : group === 'bot'
          ? testBot(services)
          : testProcessor(services, group)
    return withTimeout(test, testMs, late)
  }

/** The name of the server for a message. */
const nameOf = (group: TestedGroup): string | Record<Language, string> =>
  group === 'mail'
    ? { en: 'The mail server', ru: 'Почтовый сервер' }
    : group === 'bot'
      ? 'Telegram'
      : connections[group].name

async function testProcessor(
  { methods }: Services,
  group: Exclude<TestedGroup, 'mail' | 'bot'>,
): Promise<TestedConnection> {
  const check = methods.find(group)?.check
  if (check === undefined) return nothingToTest
  const { name } = connections[group]
  try {
    await check()
    return good({ code: 'connection_works', facts: { name } })
  } catch (error) {
    if (!(error instanceof ProcessorFault)) throw error
    const { isDenied, outcome, status } = error
    const facts = { name, status: status ?? '—' }
    if (isDenied) return bad({ code: 'connection_denied', facts })
    return outcome === 'refused'
      ? bad({ code: 'connection_refused', facts })
      : bad({ code: 'connection_silent', facts: { name } })
  }
}

async function testBot(services: Services): Promise<TestedConnection> {
  const { token, botName } = services.settings.telegram
  if (token === null) return nothingToTest
  try {
    const { username: bot } = await botOf(services, token).connect()
    if (botName === null) return good({ code: 'bot_unnamed', facts: { bot } })
    return botName.toLowerCase() === bot.toLowerCase()
      ? good({ code: 'bot_works', facts: { bot } })
      : bad({ code: 'bot_other', facts: { bot, name: botName } })
  } catch (error) {
    return error instanceof RefusedByTelegram
      ? bad({ code: 'bot_denied', facts: {} })
      : bad({ code: 'connection_silent', facts: { name: 'Telegram' } })
  }
}

/** The mail server of the settings, as its tests are noted; null: there is none. */
export const mailServerOf = ({ mail: { smtp, from } }: Pick<Settings, 'mail'>): TestedServer | null =>
  smtp === null
    ? null
    : { host: smtp.host, port: smtp.port, user: smtp.auth?.user ?? null, from: from.address }

async function testMail(
  { settings, database }: Services,
  to: string | null,
  language: Language,
): Promise<TestedConnection> {
  const { mail, dataDir } = settings
  const server = mailServerOf(settings)
  if (mail.smtp === null || server === null || to === null) return nothingToTest
  // Imported here, so that no other process loads React and the SMTP client.
  const { mailTransport, sendTestLetter } = await import('#mail/jobs')
  const { smtp, from } = mail
  const host = `${smtp.host}:${smtp.port}`
  const transport = mailTransport({ smtp, outboxDir: path.join(dataDir, 'outbox') })
  const brand = await brandOfLetters(database.db)
  try {
    await sendTestLetter({ transport, from, brand, now: database.clock.now() }, to, language)
  } catch (error) {
    const words = excerpt(error instanceof Error ? error.message : String(error))
    return bad({ code: 'mail_refused', facts: { host, words: withoutLogin(words, smtp.auth) } })
  }
  await noteMailTest(database.db, server, database.clock.now())
  return good({ code: 'mail_taken', facts: { host, to } })
}

/** A mail server that repeats what it was sent must not show the password. */
function withoutLogin(words: string, auth: { user: string; pass: string } | null): string {
  if (auth === null) return words
  const { user, pass } = auth
  const encoded = [pass, `\0${user}\0${pass}`].map((text) => Buffer.from(text).toString('base64'))
  return [pass, ...encoded].reduce((text, secret) => text.replaceAll(secret, '…'), words)
}
