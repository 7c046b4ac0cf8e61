/** Groups of the fake Telegram: their members, topics, and what the bot may do there. */
import { setTimeout as sleep } from 'node:timers/promises'

/** A refusal as the Bot API answers it. */
export interface GroupRefusal {
  status: number
  description: string
  parameters?: Record<string, unknown>
}

export interface GroupMessage {
  text: string
  url: string | null
  /** The name of its topic; null: the general one. */
  topic: string | null
  /** The id of its photo or file. */
  fileId?: string
}

export interface TelegramGroup {
  id: number
  /** A member writes; returns the id of the update. */
  say: (text: string, from?: { id: number; first_name: string; username?: string }) => number
  /** What the bot has written, oldest first. */
  heard: () => GroupMessage[]
  /** Waits until the bot has written `count` messages in all. */
  hears: (count: number) => Promise<GroupMessage[]>
  topics: () => string[]
  /** Deletes a topic, as an administrator does. */
  deleteTopic: (name: string) => void
  /** Whether the bot may make topics. */
  letMakeTopics: (may: boolean) => void
  /** Removes the bot. */
  kick: () => void
  /** Telegram gives the group another id. */
  migrate: (to: number) => void
}

/** The state of one group. */
export class Group {
  id: number
  readonly title: string
  readonly isForum: boolean
  readonly topics = new Map<number, string>()
  readonly messages: GroupMessage[] = []
  isKicked = false
  mayMakeTopics = true
  movedTo: number | null = null
  #lastThread = 100

  constructor(facts: { id: number; title: string; isForum: boolean }) {
    ;({ id: this.id, title: this.title, isForum: this.isForum } = facts)
  }

  get chat() {
    return { id: this.id, type: 'supergroup', title: this.title, ...(this.isForum ? { is_forum: true } : {}) }
  }

  /** Why the bot cannot write at all; null: it can. */
  get refusal(): GroupRefusal | null {
    if (this.isKicked)
      return { status: 403, description: 'Forbidden: bot was kicked from the supergroup chat' }
    if (this.movedTo === null) return null
    const parameters = { migrate_to_chat_id: this.movedTo }
    return {
      status: 400,
      description: 'Bad Request: group chat was upgraded to a supergroup chat',
      parameters,
    }
  }

  /** Takes a message, or refuses it. */
  take(text: string, url: string | null, thread: unknown, fileId?: string): GroupRefusal | null {
    const topic = thread === undefined ? null : this.topics.get(Number(thread))
    if (topic === undefined) return { status: 400, description: 'Bad Request: message thread not found' }
    this.messages.push({ text, url, topic, ...(fileId === undefined ? {} : { fileId }) })
    return null
  }

  /** Makes a topic, or refuses. */
  make(name: string): GroupRefusal | { message_thread_id: number; name: string; icon_color: number } {
    if (!this.isForum) return { status: 400, description: 'Bad Request: the chat is not a forum' }
    if (!this.mayMakeTopics)
      return { status: 400, description: 'Bad Request: not enough rights to create a topic' }
    const id = ++this.#lastThread
    this.topics.set(id, name)
    return { message_thread_id: id, name, icon_color: 0 }
  }

  async hears(count: number): Promise<GroupMessage[]> {
    const deadline = Date.now() + 60_000
    while (this.messages.length < count) {
      if (Date.now() > deadline)
        throw new Error(`heard ${this.messages.length} of ${count}: ${JSON.stringify(this.messages)}`)
      await sleep(5)
    }
    return [...this.messages]
  }
}
