/** A person in Telegram who talks to the shop's bot. */
import { plainOf } from '#test/telegram'

export interface BotUser {
  /** Writes to the bot; returns its reply as plain text. */
  say: (text: string) => Promise<string>
  /** Presses a button under a message. */
  press: (label: string) => Promise<string>
}

export function botUser(): BotUser {
  let person: number | null = null
  const act = async (what: { say: string } | { press: string }): Promise<string> => {
    const answer = await fetch(process.env['TEST_TELEGRAM'] ?? '', {
      method: 'POST',
      body: JSON.stringify({ person, ...what }),
    })
    if (!answer.ok) throw new Error(await answer.text())
    const { person: id, heard } = (await answer.json()) as { person: number; heard: string }
    person = id
    return plainOf(heard)
  }
  return { say: (text) => act({ say: text }), press: (label) => act({ press: label }) }
}
