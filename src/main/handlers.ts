/** The handlers of all calls of the slices, and what they depend on. */
import { type EndPrograms, tellOfChange } from '#accounts'
import { accountsCalls } from '#accounts/calls'
import { callerOf } from '#db/call'
import { emailCalls } from '#accounts/email/calls'
import { catalogCalls } from '#catalog/calls'
import { brandOnPages, readContent } from '#content'
import { contentCalls } from '#content/calls'
import { isDemoInventory } from '#inventory'
import { inventoryCalls } from '#inventory/calls'
import { limitsCalls } from '#limits/calls'
import { billCalls } from '#ledger/calls'
import { noticesCalls } from '#customer-notices/calls'
import { promoCalls } from '#promo/calls'
import { makeLinesOfUsers, proxiesCalls, type ProxiesDeps } from '#proxies/calls'
import { type OwnerDeps, presetsCalls } from '#proxies/presets/calls'
import { revokeLinks } from '#proxies/presets'
import { findLink } from '#proxies/presets/links'
import { trialCalls } from '#proxies/trial'
import { documentCalls } from '#documents/calls'
import { purchaseCalls } from '#purchase/calls'
import { movesCalls } from '#purchase/moves/calls'
import { receiptsCalls } from '#receipts/calls'
import type { PayoutRules } from '#referral'
import { referralCalls } from '#referral/calls'
import { requestsCalls } from '#requests/calls'
import { revokeResellerToken } from '#reseller'
import { resellerCalls } from '#reseller/calls'
import { teamCalls } from '#teams/calls'
import { topUpCalls } from '#topup/calls'
import { statsCalls } from '#stats/calls'
import { statusCalls } from '#status/calls'
import { payoutSetting } from '#contract/desk/shop-settings'
import { payoutNetworks } from '#contract/referral/payout'
import { echoPath } from '#contract/wire'
import { telegramCalls } from '#accounts/telegram/code'
import { type Database } from '#db'
import type { Handlers } from '#db/call'
import { personCalls } from '#personal-data/calls'
import { type PaymentMethods, rateNote } from '#payments'
import { hasPurchased } from '#purchase'
import { shownRates, usableRates } from '#rates'
import { ratesCalls } from '#rates/calls'
import { securityCalls } from '#account-security/calls'
import { readShopSettings } from '#settings'
import { agreeToSave } from '#topup'
import { hasTraffic, leftOfUser, recallLeases, spendableIn, usedInWindows, usersTraffic } from '#traffic'
import { passwordOf, userOf } from '#proxy-users'
import { usersCalls } from '#proxy-users/calls'
import { manyUsersCalls } from '#proxy-users/many.calls'
import { isGlobalUnicast, isGlobalUnicastOrLoopback } from '#whitelist'
import { whitelistCalls } from '#whitelist/calls'
import { entriesOf, shownPoolsOf } from './site.ts'
import { purchaseDeps, type Services, topUpDeps } from './services.ts'
import type { Settings } from './settings/settings.ts'

/** The dependencies of `proxies`. */
const proxiesDeps = ({ secrets, settings: { gateway } }: Services): ProxiesDeps => ({
  secrets,
  trafficOf: spendableIn,
  proxyUserOf: async (db, { accessId, number }) => {
    const user = await userOf(db, { accessId, nr: BigInt(number) })
    const { id, login, isReserved, countries, deniedCountries, noDoubleTariff } = user
    const leftBytes = await leftOfUser(db, user)
    const rules = { countries, deniedCountries, noDoubleTariff }
    return { id, login, password: passwordOf(secrets, user), leftBytes, isReserved, ...rules }
  },
  portBase: gateway.portBase,
  slots: gateway.slots,
  hosts: gateway.hosts,
  defaultHost: gateway.host,
})

/** Finds the secret link of a token. */
export const openLink = (services: Services) => (token: string, now: Date) =>
  findLink(proxiesDeps(services), services.database.db, { token, now })

/** Revokes everything that can act for a customer without a session. */
const endPrograms: EndPrograms = async (tx, accountId) => {
  await revokeResellerToken(tx, accountId)
  await revokeLinks(tx, accountId)
}

/** Notifies the owner of a new secret link. */
const linkOwner: OwnerDeps = {
  tellOfLink: (tx, context) => {
    const change = { event: 'preset_link_made', ip: context.ip, isHeld: false } as const
    return tellOfChange(tx, callerOf(context).id, change, context.now())
  },
}

/** The current rules for gifts between customers and for exchanges. */
const moveRulesOf =
  ({ pinned }: Pick<Settings, 'pinned'>) =>
  async (db: Database['db']) => {
    const shop = await readShopSettings(db, pinned)
    return {
      gifts: { isOn: shop.gifts === 1n, gbPerDay: shop.gift_gb_per_day },
      exchanges: { isOn: shop.exchanges === 1n, gbPerDay: shop.exchange_gb_per_day },
    }
  }

/** The current limits of payouts. */
const payoutRulesOf =
  ({ pinned }: Pick<Settings, 'pinned'>) =>
  async (db: Database['db']): Promise<PayoutRules> => {
    const shop = await readShopSettings(db, pinned)
    return {
      isOn: shop.payouts === 1n,
      leastMicros: shop.payout_least_micros,
      networks: payoutNetworks.filter((network) => shop[payoutSetting(network)] === 1n),
    }
  }

/** The shop as authenticator apps and passkeys name it. */
const partyOf =
  ({ database, settings }: Pick<Services, 'database' | 'settings'>) =>
  async () => ({ name: (await readContent(database.db)).brand.name, url: settings.publicUrl })

/** The calls about proxy users. */
const callsOfUsers = (services: Services) => {
  const { settings, secrets } = services
  const { zone } = settings.desk
  return {
    ...usersCalls({
      secrets,
      zone,
      mostUsers: async (db) => Number((await readShopSettings(db, settings.pinned)).proxy_users_per_pool),
      ...usersTraffic,
    }),
    ...manyUsersCalls({
      secrets,
      zone,
      ...usersTraffic,
      linesOf: (db, customer, input, users) =>
        makeLinesOfUsers(proxiesDeps(services), db, { customer, users }, input),
    }),
  }
}

/** The handlers of all calls, by name. */
export function handlersOf(services: Services): Handlers {
  const { settings, log, secrets } = services
  return {
    ...catalogCalls,
    ...statsCalls,
    ...statusCalls(),
    ...billCalls,
    ...requestsCalls,
    ...inventoryCalls,
    ...described(
      purchaseCalls({
        ...purchaseDeps(services),
        agreeToSave: (context, wish) => agreeToSave(topUpDeps(services), context, wish),
      }),
      services.methods,
    ),
    ...movesCalls({ secrets, rules: moveRulesOf(settings) }),
    ...topUpCalls(topUpDeps(services)),
    ...ratesCalls,
    ...receiptsCalls({
      settings: settings.receipts,
      methods: async (db) => (await services.methods.listOffered(db)).map(({ name }) => name),
    }),
    ...documentCalls,
    ...promoCalls({ secrets, hasPurchased }),
    ...referralCalls({
      publicUrl: settings.publicUrl,
      telegramBot: settings.telegram.botName,
      payoutRules: payoutRulesOf(settings),
    }),
    ...contentCalls({
      botName: settings.telegram.botName,
      gateway: entriesOf(settings),
      isDemoInventory,
      shownPools: shownPoolsOf(settings),
      shownRates,
    }),
    ...resellerCalls({ secrets }),
    ...teamCalls({ secrets }),
    ...securityCalls({ secrets, party: partyOf(services) }),
    ...emailCalls({ secrets, endPrograms }),
    // The customer of a demo uses this machine: a demo refuses a public PUBLIC_URL.
    ...whitelistCalls({
      hasTraffic,
      isListable: settings.demo ? isGlobalUnicastOrLoopback : isGlobalUnicast,
    }),
    ...limitsCalls({ usedInWindows, recallLeases }),
    ...callsOfUsers(services),
    ...telegramCalls({ secrets }),
    ...noticesCalls,
    ...personCalls,
    ...accountsCalls({
      secrets,
      brand: async (db) => (await brandOnPages(db)).name,
      endPrograms,
      noteUnknownReferral: (code) =>
        log.warn({ code: code.slice(0, 64) }, 'sign-up with an unknown referral code'),
    }),
    ...proxiesCalls(proxiesDeps(services)),
    ...presetsCalls(proxiesDeps(services), linkOwner),
    ...trialCalls(proxiesDeps(services), { target: new URL(echoPath, settings.publicUrl) }),
  }
}

/**
 * The payment methods with the operator's names and descriptions, where there are any, instead of the
 * program's. The rate of a method that collects another currency is always appended.
 */
function described<Calls extends Pick<Handlers, 'payment_systems'>>(
  calls: Calls,
  methods: PaymentMethods,
): Calls {
  return {
    ...calls,
    payment_systems: async (input, context) => {
      const { language, database, now } = context
      const { payments } = await readContent(database.db)
      const offered = await calls.payment_systems(input, context)
      const rates = await usableRates(database.db, now())
      return offered.map(({ name, description, ...rest }) => {
        const own = payments[name]
        const title = own?.name?.[language] ?? null
        const words = own?.[language] ?? description
        const rate = rates.get(methods.find(name)?.currency ?? 'USD')
        return {
          ...rest,
          name,
          title,
          description: rate === undefined ? words : words + rateNote(rate, language),
        }
      })
    },
  }
}
