/** A letter with which staff try the mail server: sent at once, so that the server's own answer is known. */
import { randomUUID } from 'node:crypto'
import type { Language } from '#contract/language'
import { type LetterBrand, picturesOf } from './brand.ts'
import type { Letter } from './letter.ts'
import { renderLetter } from './render.ts'
import type { MailTransport } from './transport.ts'

export interface TestLetterDeps {
  transport: MailTransport
  /** The sender; a sender without a name gets the brand. */
  from: { name: string | null; address: string }
  brand: LetterBrand
  now: Date
}

const words = {
  ru: {
    subject: 'Проверка почты',
    paragraph:
      'Это письмо отправлено со стола оператора, чтобы проверить почту. Раз оно дошло, письма клиентам тоже дойдут.',
    note: 'Если вы его не ждали, просто удалите: отвечать не нужно.',
  },
  en: {
    subject: 'A test of the mail',
    paragraph:
      'This letter was sent from the desk of the shop to test its mail. Since it has arrived, letters to customers arrive as well.',
    note: 'If you did not expect it, delete it: no answer is needed.',
  },
} as const

/** Sends the letter, or throws as `MailTransport.send` does. */
export async function sendTestLetter(
  { transport, from, brand, now }: TestLetterDeps,
  to: string,
  language: Language,
): Promise<void> {
  const { subject, paragraph, note } = words[language]
  const letter: Letter = {
    subject: `${subject} — ${brand.name}`,
    preview: paragraph,
    heading: subject,
    paragraphs: [paragraph],
    facts: [],
    button: null,
    buttonHelp: '',
    notes: [note],
  }
  const { html, text } = await renderLetter(letter, brand, language)
  await transport.send({
    id: randomUUID(),
    date: now,
    from: { name: from.name ?? brand.name, address: from.address },
    to,
    subject: letter.subject,
    html,
    text,
    language,
    pictures: picturesOf(brand),
    files: [],
  })
}
