/**
 * Controls the people of the fake Telegram for tests in other processes. A request `POST /` makes a person
 * write or press a button; its response is the bot's reply.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { FakeTelegram, TelegramPerson } from '#test/telegram'

interface Act {
  /** Null for a new person. */
  person: number | null
  say?: string
  press?: string
}

export async function openTelegramDesk(
  telegram: FakeTelegram,
): Promise<{ origin: string; close: () => Promise<void> }> {
  const people = new Map<number, TelegramPerson>()
  const act = async ({ person, say, press }: Act) => {
    const one = (person === null ? undefined : people.get(person)) ?? telegram.person({ language_code: 'ru' })
    people.set(one.id, one)
    const before = one.heard().reduce((sum, { edits }) => sum + 1 + edits, 0)
    if (say !== undefined) one.say(say)
    if (press !== undefined) one.press(press)
    return { person: one.id, heard: (await one.hears(before + 1)).text }
  }
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      act(JSON.parse(Buffer.concat(chunks).toString()) as Act).then(
        (answer) => response.end(JSON.stringify(answer)),
        (error: unknown) => response.writeHead(500).end(String(error)),
      )
    })
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as AddressInfo
  const close = async () => {
    server.closeAllConnections()
    await new Promise((closed) => server.close(closed))
  }
  return { origin: `http://127.0.0.1:${port}`, close }
}
