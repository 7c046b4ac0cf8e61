/**
 * Types of fields that members without `customers.contacts` do not see as they are; `src/http/desk/mask.ts`
 * masks them.
 */
import * as z from 'zod'

/** `facts`: of an event, some of which are contacts or texts. */
export type Mask = 'email' | 'hidden' | 'facts'

export const masks = z.registry<{ mask: Mask }>()

/** An address of e-mail: of which two letters are shown. */
export const email = z.string().register(masks, { mask: 'email' })
/** Another contact: a Telegram name, an internet address, a user agent. */
export const contact = z.string().register(masks, { mask: 'hidden' })
/**
 * What people or other programs wrote without a form: notes, reasons, bodies of notifications, answers of
 * mail servers. It may hold a contact in any spelling, so nothing of it is shown.
 */
export const freeText = z.string().register(masks, { mask: 'hidden' })
