/**
 * Every call of the operator's desk as its subject declares it, served by the desk's own listener below
 * `/api/`. Bundled for the browser; `contract.ts` has the schemas.
 */
import { signinDeskWire } from './signin/calls.ts'
import { viewsDeskWire } from './views/calls.ts'
import { customerDeskWire } from './customer/calls.ts'
import { customersDeskWire } from './customers/calls.ts'
import { personalDataDeskWire } from './personal-data/calls.ts'
import { invoicesDeskWire } from './invoices/calls.ts'
import { paymentsDeskWire } from './payments/calls.ts'
import { refundsDeskWire } from './refunds/calls.ts'
import { trafficDeskWire } from './traffic/calls.ts'
import { connectionsDeskWire } from './connections/calls.ts'
import { exitsDeskWire } from './exits/calls.ts'
import { sellersDeskWire } from './sellers/calls.ts'
import { placesDeskWire } from './places/calls.ts'
import { pricesDeskWire } from './prices/calls.ts'
import { ratesDeskWire } from './rates/calls.ts'
import { promoDeskWire } from './promo/calls.ts'
import { contentDeskWire } from './content/calls.ts'
import { marginDeskWire } from './margin/calls.ts'
import { reportsDeskWire } from './reports/calls.ts'
import { settingsDeskWire } from './settings/calls.ts'
import { statusDeskWire } from './status/calls.ts'
import { alertsDeskWire } from './alerts/calls.ts'
import { staffDeskWire } from './staff/calls.ts'
import { undoDeskWire } from './undo/calls.ts'
import type { Needs } from './call.ts'
import { type Permission, type Role, may } from './roles.ts'

export const deskWire = {
  ...signinDeskWire,
  ...viewsDeskWire,
  ...customerDeskWire,
  ...customersDeskWire,
  ...personalDataDeskWire,
  ...invoicesDeskWire,
  ...paymentsDeskWire,
  ...refundsDeskWire,
  ...trafficDeskWire,
  ...connectionsDeskWire,
  ...exitsDeskWire,
  ...sellersDeskWire,
  ...placesDeskWire,
  ...pricesDeskWire,
  ...ratesDeskWire,
  ...promoDeskWire,
  ...contentDeskWire,
  ...marginDeskWire,
  ...reportsDeskWire,
  ...settingsDeskWire,
  ...statusDeskWire,
  ...alertsDeskWire,
  ...staffDeskWire,
  ...undoDeskWire,
} as const

export type DeskName = keyof typeof deskWire

/** The lists that are also served as files. */
export type CsvName = {
  [N in DeskName]: (typeof deskWire)[N]['file'] extends true ? N : never
}[DeskName]

/** The calls that are recorded in the audit trail. */
export type AuditedName = {
  [N in DeskName]: (typeof deskWire)[N]['audit'] extends null ? never : N
}[DeskName]

export const isPermission = (needs: Needs): needs is Permission =>
  needs !== 'anyone' && needs !== 'begun' && needs !== 'member'

/** Whether a member with this role may make the call. */
export function mayCall(role: Role, name: DeskName): boolean {
  const { needs } = deskWire[name]
  return !isPermission(needs) || may(role, needs)
}

/** The path of a call on the desk's listener. */
export const deskPath = (name: DeskName): string => `/api/${name}`

/** The books of a month as files for an accountant; only for members who may make the call `month_books`. */
export const monthBooksPath = '/api/month_books.zip'

/** The files in which lists are served. */
export const fileFormats = ['csv', 'xlsx'] as const
export type FileFormat = (typeof fileFormats)[number]

/** The path of a list as a file. */
export const deskFilePath = (name: CsvName, format: FileFormat): string => `${deskPath(name)}.${format}`
