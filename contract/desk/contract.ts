/**
 * The calls of the operator's desk with the schemas of their inputs and outputs, gathered from the subjects.
 */
import type * as z from 'zod'
import { signinDeskSchemas } from './signin/schemas.ts'
import { viewsDeskSchemas } from './views/schemas.ts'
import { customerDeskSchemas } from './customer/schemas.ts'
import { customersDeskSchemas } from './customers/schemas.ts'
import { personalDataDeskSchemas } from './personal-data/schemas.ts'
import { invoicesDeskSchemas } from './invoices/schemas.ts'
import { paymentsDeskSchemas } from './payments/schemas.ts'
import { refundsDeskSchemas } from './refunds/schemas.ts'
import { trafficDeskSchemas } from './traffic/schemas.ts'
import { connectionsDeskSchemas } from './connections/schemas.ts'
import { exitsDeskSchemas } from './exits/schemas.ts'
import { sellersDeskSchemas } from './sellers/schemas.ts'
import { placesDeskSchemas } from './places/schemas.ts'
import { pricesDeskSchemas } from './prices/schemas.ts'
import { ratesDeskSchemas } from './rates/schemas.ts'
import { promoDeskSchemas } from './promo/schemas.ts'
import { contentDeskSchemas } from './content/schemas.ts'
import { marginDeskSchemas } from './margin/schemas.ts'
import { reportsDeskSchemas } from './reports/schemas.ts'
import { settingsDeskSchemas } from './settings/schemas.ts'
import { statusDeskSchemas } from './status/schemas.ts'
import { alertsDeskSchemas } from './alerts/schemas.ts'
import { staffDeskSchemas } from './staff/schemas.ts'
import { undoDeskSchemas } from './undo/schemas.ts'
import type { DeskName } from './wire.ts'

export const deskContract = {
  ...signinDeskSchemas,
  ...viewsDeskSchemas,
  ...customerDeskSchemas,
  ...customersDeskSchemas,
  ...personalDataDeskSchemas,
  ...invoicesDeskSchemas,
  ...paymentsDeskSchemas,
  ...refundsDeskSchemas,
  ...trafficDeskSchemas,
  ...connectionsDeskSchemas,
  ...exitsDeskSchemas,
  ...sellersDeskSchemas,
  ...placesDeskSchemas,
  ...pricesDeskSchemas,
  ...ratesDeskSchemas,
  ...promoDeskSchemas,
  ...contentDeskSchemas,
  ...marginDeskSchemas,
  ...reportsDeskSchemas,
  ...settingsDeskSchemas,
  ...statusDeskSchemas,
  ...alertsDeskSchemas,
  ...staffDeskSchemas,
  ...undoDeskSchemas,
} as const satisfies Record<DeskName, { input: z.ZodType; output: z.ZodType }>

/** What a caller sends. */
export type DeskInput<N extends DeskName> = z.input<(typeof deskContract)[N]['input']>
/** What a handler receives: the parsed input. */
export type DeskParsed<N extends DeskName> = z.output<(typeof deskContract)[N]['input']>
/** What a handler returns and a caller receives. */
export type DeskOutput<N extends DeskName> = z.output<(typeof deskContract)[N]['output']>
