/** Sends letters: to a mail server (RFC 5321), or as .eml files (RFC 5322) into the outbox folder. */
import { mkdir, rename, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { createTransport, type SendMailOptions } from 'nodemailer'
import type { Language } from '#contract/language'

export interface Message {
  /** The name of the outbox file and the left half of the Message-ID: the same for every attempt. */
  id: string
  date: Date
  from: MailAddress
  to: string
  subject: string
  html: string
  text: string
  language: Language
  /** Pictures that the HTML names by `cid:` (RFC 2392). */
  pictures: readonly { cid: string; bytes: Uint8Array; contentType: string }[]
  files: readonly LetterFile[]
}

/** An attachment. */
export interface LetterFile {
  name: string
  bytes: Uint8Array
  contentType: string
}

export interface MailAddress {
  name: string
  address: string
}

export interface MailTransport {
  /** Sends, or throws: `MailRefused` when a retry is useless, any other error when it may succeed. */
  send(message: Message): Promise<void>
}

/** The mail server refused this letter or its recipient permanently. */
export class MailRefused extends Error {
  constructor(reason: string) {
    super(reason)
    this.name = 'MailRefused'
  }
}

export interface MailSettings {
  /** Null: letters become files in `outboxDir`. */
  smtp: SmtpServer | null
  outboxDir: string
}

export interface SmtpServer {
  host: string
  port: number
  /** TLS from the first byte (RFC 8314); otherwise STARTTLS when the server offers it. */
  secure: boolean
  auth: { user: string; pass: string } | null
  /** Refuse to continue without TLS. */
  requireTls: boolean
}

export function mailTransport({ smtp, outboxDir }: MailSettings): MailTransport {
  return smtp === null ? outbox(outboxDir) : smtpTransport(smtp)
}

const connection = ({ host, port, secure, auth, requireTls }: SmtpServer) =>
  createTransport({
    host,
    port,
    secure,
    requireTLS: requireTls,
    ...(auth === null ? {} : { auth }),
    dnsTimeout: 10_000,
    connectionTimeout: 10_000,
    greetingTimeout: 10_000,
    socketTimeout: 30_000,
    disableFileAccess: true,
    disableUrlAccess: true,
  })

/**
 * Connects to a mail server and logs in, as before sending; returns the reason of a failure, or null.
 */
export async function askServer(server: SmtpServer): Promise<string | null> {
  const transport = connection(server)
  try {
    await transport.verify()
    return null
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  } finally {
    transport.close()
  }
}

function smtpTransport(server: SmtpServer): MailTransport {
  const transport = connection(server)
  return {
    async send(message) {
      const options = optionsOf(message)
      try {
        await transport.sendMail(options)
      } catch (error) {
        throw isFinal(error) ? new MailRefused(error instanceof Error ? error.message : String(error)) : error
      }
    },
  }
}

/**
 * True for a 5xx to the recipient or to the letter, and for an address that cannot be used at all. A refused
 * connection, login or sender has to be corrected by the operator, and the letter waits for that.
 */
export function isFinal(error: unknown): boolean {
  const { code, command, responseCode } = error as { code?: string; command?: string; responseCode?: number }
  if (code !== 'EENVELOPE' && code !== 'EMESSAGE') return false
  if (command === 'MAIL FROM') return false
  return responseCode === undefined || responseCode >= 500
}

function outbox(dir: string): MailTransport {
  const transport = createTransport({ streamTransport: true, buffer: true, newline: 'windows' })
  return {
    async send(message) {
      const made = await transport.sendMail(optionsOf(message))
      await mkdir(dir, { recursive: true, mode: 0o700 })
      const name = `${message.date.toISOString().replace(/[:.]/g, '-')}-${message.id}.eml`
      const file = path.join(dir, name)
      // A program that watches the folder sees complete letters only.
      await writeFile(`${file}.new`, made.message as Buffer, { mode: 0o600 })
      await rename(`${file}.new`, file)
    },
  }
}

/**
 * One plain address, its local part a dot-atom (RFC 5322 3.2.3, and RFC 6531 beyond ASCII). Sign-up is more
 * lenient, and mail composers read `a,b@example.com` as two recipients, the second of which requested
 * nothing.
 */
const plainAddress = /^[^\s()<>[\]:;@\\,"\p{C}]+@[^\s()<>[\]:;@\\,"\p{C}]+$/u

function optionsOf(message: Message): SendMailOptions {
  const { id, date, from, to, subject, html, text, language, pictures, files } = message
  if (!plainAddress.test(to)) throw new MailRefused('the address of the recipient cannot be written to')
  const domain = from.address.split('@').at(-1) ?? 'localhost'
  return {
    messageId: `<${id}@${domain}>`,
    date,
    from,
    to: { name: '', address: to },
    subject,
    html,
    text,
    attachments: [
      ...pictures.map(({ cid, bytes, contentType }) => ({
        cid,
        content: Buffer.from(bytes),
        contentType,
        contentDisposition: 'inline' as const,
        filename: 'logo.png',
      })),
      ...files.map(({ name, bytes, contentType }) => ({
        filename: name,
        content: Buffer.from(bytes),
        contentType,
      })),
    ],
    headers: {
      'content-language': language,
      // RFC 3834: prevents automatic replies.
      'auto-submitted': 'auto-generated',
    },
  }
}
