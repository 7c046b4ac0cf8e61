/** Sending and editing what the bot shows. */
import { type Context, InputFile } from 'grammy'
import { acknowledge } from './api.ts'
import type { Screen } from './screens.ts'

/** The bounds of a message's text and of a caption, after Telegram has parsed its markup. */
export const longestText = 4096

const looks = ({ keyboard }: Screen) => ({
  parse_mode: 'HTML' as const,
  link_preview_options: { is_disabled: true },
  ...(keyboard === undefined ? {} : { reply_markup: keyboard }),
})

/** Sends a screen as a new message, with its file if it has one. */
export async function say(ctx: Context, screen: Screen): Promise<void> {
  const { text, file } = screen
  if (file === undefined) return void (await ctx.reply(text, looks(screen)))
  const { link_preview_options: _none, ...captioned } = looks(screen)
  const input = new InputFile(file.bytes, file.name)
  if (file.kind === 'photo') await ctx.replyWithPhoto(input, { caption: text, ...captioned })
  else await ctx.replyWithDocument(input, { caption: text, ...captioned })
}

/**
 * Shows a screen in the message whose button was pressed; as a new one when Telegram no longer allows editing
 * it, or when one of the two has a file.
 */
export async function turn(ctx: Context, screen: Screen): Promise<void> {
  await acknowledge(ctx)
  const message = ctx.callbackQuery?.message
  const isText = message !== undefined && message.date !== 0 && 'text' in message
  if (!isText || screen.file !== undefined) return say(ctx, screen)
  await ctx.editMessageText(screen.text, looks(screen))
}
