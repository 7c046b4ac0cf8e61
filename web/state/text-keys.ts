/**
 * The types of text keys, derived from the Russian files. A test checks that the English files have the same
 * keys.
 */
import type auth from '../locales/ru/auth.json'
import type bill from '../locales/ru/bill.json'
import type desk from '../locales/ru/desk.json'
import type deskActions from '../locales/ru/deskActions.json'
import type deskCurrencies from '../locales/ru/deskCurrencies.json'
import type deskJoin from '../locales/ru/deskJoin.json'
import type deskCustomer from '../locales/ru/deskCustomer.json'
import type deskExits from '../locales/ru/deskExits.json'
import type deskMoney from '../locales/ru/deskMoney.json'
import type deskPages from '../locales/ru/deskPages.json'
import type deskPayouts from '../locales/ru/deskPayouts.json'
import type deskReceipts from '../locales/ru/deskReceipts.json'
import type deskRefusals from '../locales/ru/deskRefusals.json'
import type deskTraffic from '../locales/ru/deskTraffic.json'
import type deskPlaces from '../locales/ru/deskPlaces.json'
import type deskSellers from '../locales/ru/deskSellers.json'
import type deskSettings from '../locales/ru/deskSettings.json'
import type deskSetup from '../locales/ru/deskSetup.json'
import type deskShop from '../locales/ru/deskShop.json'
import type deskStatus from '../locales/ru/deskStatus.json'
import type factors from '../locales/ru/factors.json'
import type docs from '../locales/ru/docs.json'
import type gatewayRefusals from '../locales/ru/gatewayRefusals.json'
import type generator from '../locales/ru/generator.json'
import type header from '../locales/ru/header.json'
import type home from '../locales/ru/home.json'
import type legal from '../locales/ru/legal.json'
import type money from '../locales/ru/money.json'
import type moves from '../locales/ru/moves.json'
import type palette from '../locales/ru/palette.json'
import type payouts from '../locales/ru/payouts.json'
import type promocode from '../locales/ru/promocode.json'
import type proxyOnline from '../locales/ru/proxyOnline.json'
import type proxyUsers from '../locales/ru/proxyUsers.json'
import type requests from '../locales/ru/requests.json'
import type purchase from '../locales/ru/purchase.json'
import type reviews from '../locales/ru/reviews.json'
import type rules from '../locales/ru/rules.json'
import type security from '../locales/ru/security.json'
import type seeAs from '../locales/ru/seeAs.json'
import type team from '../locales/ru/team.json'
import type status from '../locales/ru/status.json'
import type usage from '../locales/ru/usage.json'
import type userBtns from '../locales/ru/userBtns.json'
import type referral from '../locales/ru/referral.json'
import type userPanel from '../locales/ru/userPanel.json'

interface Resources {
  auth: typeof auth
  bill: typeof bill
  desk: typeof desk
  deskActions: typeof deskActions
  deskCustomer: typeof deskCustomer
  deskCurrencies: typeof deskCurrencies
  deskJoin: typeof deskJoin
  deskExits: typeof deskExits
  deskMoney: typeof deskMoney
  deskPages: typeof deskPages
  deskPayouts: typeof deskPayouts
  deskReceipts: typeof deskReceipts
  deskRefusals: typeof deskRefusals
  deskTraffic: typeof deskTraffic
  deskPlaces: typeof deskPlaces
  deskSellers: typeof deskSellers
  deskSettings: typeof deskSettings
  deskSetup: typeof deskSetup
  deskShop: typeof deskShop
  deskStatus: typeof deskStatus
  factors: typeof factors
  docs: typeof docs
  gatewayRefusals: typeof gatewayRefusals
  generator: typeof generator
  header: typeof header
  home: typeof home
  legal: typeof legal
  money: typeof money
  moves: typeof moves
  palette: typeof palette
  payouts: typeof payouts
  promocode: typeof promocode
  proxyOnline: typeof proxyOnline
  proxyUsers: typeof proxyUsers
  purchase: typeof purchase
  requests: typeof requests
  reviews: typeof reviews
  rules: typeof rules
  security: typeof security
  seeAs: typeof seeAs
  team: typeof team
  status: typeof status
  usage: typeof usage
  userBtns: typeof userBtns
  referral: typeof referral
  userPanel: typeof userPanel
}

export type Namespace = keyof Resources

/** A key without the suffix of its plural form. */
type WithoutPlural<K extends string> = K extends `${infer S}_${'one' | 'few' | 'many' | 'other'}` ? S : K
type Leaves<T, Prefix extends string = ''> = {
  [K in keyof T & string]: T[K] extends string
    ? `${Prefix}${WithoutPlural<K>}`
    : Leaves<T[K], `${Prefix}${K}.`>
}[keyof T & string]
type Qualified<N extends Namespace> = { [Each in N]: `${Each}:${Leaves<Resources[Each]>}` }[N]

/** The keys of one namespace; for several, the keys of the first, and `namespace:key` for all. */
export type Key<N extends Namespace | readonly Namespace[]> = N extends Namespace
  ? Leaves<Resources[N]>
  : N extends readonly [infer First extends Namespace, ...Namespace[]]
    ? Leaves<Resources[First]> | Qualified<N[number]>
    : never

export type Values = Readonly<Record<string, string | number>>
export type Translate<N extends Namespace | readonly Namespace[]> = (key: Key<N>, values?: Values) => string
