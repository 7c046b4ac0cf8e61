/** A picture of a message, stored by Telegram: the shop forwards it by its id, and never reads it. */
import type { Api } from 'grammy'
import type { Message } from 'grammy/types'

export interface Picture {
  fileId: string
  /** Sent as a file, so that Telegram does not make it smaller. */
  isFile: boolean
  caption: string
  /** The id of the album of the message, the same for each of its pictures; null: no album. */
  album: string | null
}

/** Files that are shown as pictures; an SVG can have scripts. */
const pictureTypes = /^image\/(png|jpe?g|webp|gif|hei[cf])$/

/**
 * The picture of a message; null: it has none. Other files are not accepted: support opens no programs of
 * customers.
 */
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
