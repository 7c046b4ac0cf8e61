/** A mail server for tests: it implements real SMTP, keeps the letters it receives, and refuses on demand. */
import type { AddressInfo } from 'node:net'
import { type ParsedMail, simpleParser } from 'mailparser'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { until } from './stack.ts'

export interface Received {
  /** The envelope. */
  from: string
  to: string[]
  mail: ParsedMail
  raw: string
}

export interface Refusing {
  at: 'mail' | 'rcpt' | 'data'
  /** The SMTP reply code: 4xx temporary, 5xx permanent. */
  code: number
}

export interface SmtpSink {
  port: number
  received: Received[]
  /** The outcomes of the next attempts: one refusal each, in order; after that letters are accepted again. */
  refusals: Refusing[]
  /** The number of attempts that got as far as the sender. */
  attempts: () => number
  /**
   * Waits for the first letter to this address that was not returned before, and whose subject contains the
   * text.
   */
  letterTo: (address: string, subject?: string) => Promise<Received>
  close: () => Promise<void>
}

export async function startSmtp(options: SMTPServerOptions = {}): Promise<SmtpSink> {
  const received: Received[] = []
  const refusals: Refusing[] = []
  const seen = new Set<Received>()
  let attempts = 0
  const refusalAt = (at: Refusing['at']) => {
    if (refusals[0]?.at !== at) return null
    const code = refusals.shift()?.code ?? 550
    return Object.assign(new Error(`refused at ${at} by the test`), { responseCode: code })
  }
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    disableReverseLookup: true,
    logger: false,
    onMailFrom: (_address, _session, done) => {
      attempts++
      done(refusalAt('mail'))
    },
    onRcptTo: (_address, _session, done) => done(refusalAt('rcpt')),
    onData: (stream, session, done) => {
      void collect(stream).then(async (bytes) => {
        const refusal = refusalAt('data')
        if (refusal !== null) return done(refusal)
        const { mailFrom, rcptTo } = session.envelope
        received.push({
          from: mailFrom === false ? '' : (mailFrom?.address ?? ''),
          to: rcptTo.map(({ address }) => address),
          mail: await simpleParser(bytes),
          raw: bytes.toString('latin1'),
        })
        done()
      }, done)
    },
    ...options,
  })
  // Clients that disconnect abruptly are part of the tests.
  server.on('error', () => undefined)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.server.address() as AddressInfo).port,
    received,
    refusals,
    attempts: () => attempts,
    letterTo: async (address, subject = '') => {
      const find = () =>
        received.find(
          (letter) =>
            !seen.has(letter) && letter.to.includes(address) && (letter.mail.subject ?? '').includes(subject),
        )
      await until(() => find() !== undefined, 60_000, `a letter to ${address}`)
      const letter = find()
      if (letter === undefined) throw new Error('the letter has disappeared')
      seen.add(letter)
      return letter
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}

async function collect(stream: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(chunk)
  return Buffer.concat(chunks)
}

/** The first link of a letter whose address contains the text, from its text part. */
export function linkIn(letter: Received, part: string): URL {
  const link = (letter.mail.text ?? '')
    .split(/\s+/)
    .find((word) => word.startsWith('http') && word.includes(part))
  if (link === undefined) throw new Error(`no link with ${part} in: ${letter.mail.text}`)
  return new URL(link)
}
