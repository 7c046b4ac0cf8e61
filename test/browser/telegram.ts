/** Somebody in Telegram who talks with the shop's bot. */
import { plainOf } from '#test/telegram'

export interface BotUser {
  /** Writes to the bot; answers what it says to that, as a person reads it. */
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
