/** The type of the bot's texts, for every language. */
import type { Goods } from '#contract/wire'

type ShareLeft = 'fifth' | 'twentieth' | 'out'
type CapWindow = 'hour' | 'day' | 'month'

/** The notices that a person gets from the bot, by kind. */
export type NoticeSwitches = Record<'signIns' | 'traffic' | 'cap' | 'topup' | 'trouble' | 'bill', boolean>

export interface Texts {
  pools: Record<Goods, string>
  commands: Record<Command, string>
  button: Record<
    | 'balance'
    | 'usage'
    | 'account'
    | 'support'
    | 'buyAgain'
    | 'stars'
    | 'buy'
    | 'lines'
    | 'code'
    | 'ref'
    | 'language'
    | 'menu'
    | 'newCode'
    | 'anyCountry'
    | 'more'
    | 'back'
    | 'otherCountry'
    | 'otherPool'
    | 'oneMore'
    | 'sticky'
    | 'link'
    | 'noLink'
    | 'openSite'
    | 'openLogin'
    | 'noticesOff'
    | 'noticesOn'
    | 'trafficOff'
    | 'trafficOn'
    | 'capOff'
    | 'capOn'
    | 'topUpOff'
    | 'topUpOn'
    | 'troubleOff'
    | 'troubleOn'
    | 'billOff'
    | 'billOn'
    | 'unlink'
    | 'keepLink',
    string
  >
  welcome: string
  welcomeBack: string
  menu: string
  help: string
  balance: (rows: { pool: string; amount: string }[]) => string
  double: (facts: { amount: string; payload: string }) => string
  nothingBought: string
  code: (code: string) => string
  buy: (rows: { pool: string; price: string }[]) => string
  nothingOnSale: string
  askReceiptEmail: string
  receiptEmailSet: (email: string) => string
  choosePool: string
  noTraffic: string
  chooseCountry: (pool: string) => string
  line: (facts: { line: string; pool: string; country: string; minutes: number | null }) => string
  anywhere: string
  ref: (facts: {
    website: string
    telegram: string | null
    invited: number
    balance: string
    percent: string
  }) => string
  language: string
  languageSet: string
  confirmLink: (name: string) => string
  linked: (name: string) => string
  linkRefused: string
  signedIn: (facts: { name: string; when: string; ip: string }) => string
  securityChanged: (facts: {
    heading: string
    sentence: string
    name: string
    when: string
    /** Null: staff made the change. */
    ip: string | null
  }) => string
  addressTaken: (facts: { pool: string; address: string }) => string
  trafficLow: (facts: { pool: string; share: ShareLeft | null; left: string; hours: number | null }) => string
  capReached: (facts: { pool: string; window: CapWindow; cap: string }) => string
  notices: (are: NoticeSwitches) => string
  confirmUnlink: (name: string) => string
  unlinked: (name: string) => string
  onlyWayIn: string
  accountNumber: (id: bigint) => string
  tooFast: string
  staleButton: string
  /** A button that was shown for another account than that of the person now. */
  otherAccount: (name: string) => string
  askAgain: string
  failed: string
}

export const commandNames = [
  'code',
  'balance',
  'usage',
  'buy',
  'lines',
  'account',
  'invoices',
  'ref',
  'language',
  'notices',
  'unlink',
  'support',
  'paysupport',
  'terms',
  'help',
] as const
export type Command = (typeof commandNames)[number]
