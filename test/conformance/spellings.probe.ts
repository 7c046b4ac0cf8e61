/** Sends the spellings of `spellings.ts` to a proxy, and reports the outcome of each. */
import { RawClient } from '../../src/gateway/testing/client.ts'
import { OPENED, type Spelling } from './spellings.ts'
import { startTarget, type Target } from './talk.ts'

export interface Outcome {
  /**
   * The first line that the target received, a tunnel, the status of the refusal, or what happened instead.
   */
  became: string | number
  /** Everything that the target received, by connection. */
  heard: readonly string[]
}

const answer = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok'

async function probe(port: number, target: Target, login: string, { text }: Spelling): Promise<Outcome> {
  const from = target.heard.length
  const client = new RawClient(port)
  const isOver = () => client.ended || client.closed
  try {
    client.write(text(`127.0.0.1:${target.port}`, login))
    const isAnswered = () => client.text.includes('\r\n\r\n') || isOver()
    const gaveUp = await client.until(isAnswered, 'an answer', 3000).catch(() => 'no answer')
    if (gaveUp !== undefined) return { became: gaveUp, heard: target.heard.slice(from) }
    if (text('', '').startsWith('CONNECT') && / 200 /.test(client.text.slice(0, 20))) {
      client.write('GET /in HTTP/1.1\r\n\r\n')
      await client.until(() => client.text.includes('ok'), 'the answer in the tunnel')
      return { became: OPENED, heard: target.heard.slice(from) }
    }
    const heard = target.heard.slice(from)
    const [first = ''] = heard
    if (first !== '') return { became: first.slice(0, first.search(/\r?\n/)), heard }
    const status = /^HTTP\/1\.[01] (\d{3})/.exec(client.text)?.[1]
    return { became: status === undefined ? 'closed' : Number(status), heard }
  } finally {
    client.destroy()
  }
}

/** The outcome of each spelling, one after the other. */
export async function probeAll(
  port: number,
  login: string,
  spellings: readonly Spelling[],
): Promise<Outcome[]> {
  const target = await startTarget((socket, heard) => {
    if (heard.includes('\r\n\r\n')) socket.write(answer)
  })
  try {
    const outcomes: Outcome[] = []
    for (const spelling of spellings) outcomes.push(await probe(port, target, login, spelling))
    return outcomes
  } finally {
    target.close()
  }
}
