/** A picture of a message, which Telegram keeps: it is sent on by its id, and never read by the shop. */
import type { Api } from 'grammy'
import type { Message } from 'grammy/types'

export interface Picture {
  fileId: string
  /** Sent as a file, so that Telegram does not make it smaller. */
  isFile: boolean
  caption: string
  /** Of a message in an album: the same for each of its pictures. */
  album: string | null
}

/** Files that are shown as pictures; an SVG can have scripts. */
const pictureTypes = /^image\/(png|jpe?g|webp|gif|hei[cf])$/

/** Null: the message has none. Other files are not taken: support opens no programs of customers. */
export function pictureOf(message: Message): Picture | null {
  const { photo, document, caption = '', media_group_id: album = null } = message
  // The sizes of one photo, the largest last.
  const largest = photo?.at(-1)
  if (largest !== undefined) return { fileId: largest.file_id, isFile: false, caption, album }
  if (document === undefined || !pictureTypes.test(document.mime_type ?? '')) return null
  return { fileId: document.file_id, isFile: true, caption, album }
}

type Rest = NonNullable<Parameters<Api['sendPhoto']>[2]>

/** Sends a picture with a caption of Telegram's HTML. */
export function sendPicture(api: Api, chatId: number, { fileId, isFile }: Picture, rest: Rest) {
  const options = { ...rest, parse_mode: 'HTML' as const }
  return isFile ? api.sendDocument(chatId, fileId, options) : api.sendPhoto(chatId, fileId, options)
}
