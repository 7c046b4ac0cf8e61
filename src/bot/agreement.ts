/**
 * Consent of new customers in the bot: the documents with their links, and the button that accepts them.
 * Accounts created on the site have consented at sign-up and are not asked.
 */
import { createHash } from 'node:crypto'
import { InlineKeyboard } from 'grammy'
import { agreeInTelegram, hasAgreed } from '#accounts/telegram'
import type { Output } from '#contract/contract'
import type { Language } from '#contract/language'
import { documentPaths } from '#contract/legal/consents'
import { localPath } from '#contract/pages'
import type { BotDeps } from './base/deps.ts'
import { menu, type Screen, withLinks } from './base/screens.ts'
import type { Visit } from './base/visit.ts'

type SignUpDocuments = Output<'sign_up_documents'>

interface AgreementTexts {
  ask: string
  askWithData: string
  draft: string
  accept: string
  changed: string
  accepted: string
}

const agreementWords: Readonly<Record<Language, AgreementTexts>> = {
  ru: {
    ask: 'Прочитайте документы магазина. Кнопка «Принимаю и продолжаю» означает, что вы с ними согласны.',
    askWithData:
      'Прочитайте документы магазина. Кнопка «Принимаю и продолжаю» означает, что вы с ними согласны и отдельно даёте согласие на обработку персональных данных.',
    draft: 'черновик',
    accept: 'Принимаю и продолжаю',
    changed: 'Пока вы читали, документы изменились.',
    accepted: 'Спасибо, записали. Чем помочь?',
  },
  en: {
    ask: 'Read the shop’s documents. “Accept and continue” means that you agree to them.',
    askWithData:
      'Read the shop’s documents. “Accept and continue” means that you agree to them and, separately, to the processing of your personal data.',
    draft: 'draft',
    accept: 'Accept and continue',
    changed: 'The documents changed while you were reading.',
    accepted: 'Thank you, that is noted. What would you like to do?',
  },
}

/** The digest of the shown documents, for a button's data. */
const digestOf = (shown: SignUpDocuments): string =>
  createHash('sha256')
    .update(shown.map(({ document, sha256 }) => `${document} ${sha256}\n`).join(''))
    .digest('hex')
    .slice(0, 32)

/** Whether a person still has to consent: only accounts created by the bot, which have no name. */
export async function lacksAgreement({ database }: BotDeps, { account }: Visit): Promise<boolean> {
  return account.username === null && !(await hasAgreed(database.db, account.id))
}

/** The documents below a text, and the button. */
export async function agreementScreen(
  { call, language }: Visit,
  text: string,
  publicUrl: URL,
): Promise<Screen> {
  const words = agreementWords[language]
  const shown = await call('sign_up_documents', {})
  const asksForData = shown.some(({ document }) => document === 'personal_data')
  const keyboard = new InlineKeyboard().text(words.accept, `agree:${digestOf(shown)}`)
  return withLinks(
    { text: `${text}\n\n${asksForData ? words.askWithData : words.ask}`, keyboard },
    shown.map(({ document, title, is_draft: isDraft }) => ({
      label: isDraft ? `${title} (${words.draft})` : title,
      url: new URL(localPath(documentPaths[document], language), publicUrl),
    })),
  )
}

/**
 * The button: records the consent to the shown documents; if they have changed since, shows the current ones.
 */
export async function agree(deps: BotDeps, visit: Visit, digest: string): Promise<Screen> {
  const { account, call, language, words } = visit
  const say = agreementWords[language]
  const shown = await call('sign_up_documents', {})
  if (digestOf(shown) !== digest) return agreementScreen(visit, say.changed, deps.publicUrl)
  await agreeInTelegram(deps.database.db, shown, { accountId: account.id, language, at: deps.now() })
  return menu(words, say.accepted)
}
