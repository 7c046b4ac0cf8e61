/** Addresses that replace those of sellers' APIs: a proxy of the operator, or a test server. */
import { sellerAdapters } from '#sellers'
import { type Env, isLocalHost, list, SettingFault } from './settings.env.ts'

/**
 * Reads SELLER_API_BASES: `name=https://…`, separated by commas. Keys are sent there, so http is accepted
 * only on this machine.
 */
export function readSellerBases(env: Env): Map<string, URL> {
  return new Map(
    list(env, 'SELLER_API_BASES').map((item) => {
      const [name = '', address = ''] = item.split(/=(.*)/s)
      if (!sellerAdapters.some((seller) => seller.name === name))
        throw new SettingFault(
          `SELLER_API_BASES names ${sellerAdapters.map((seller) => seller.name).join(', ')}; “${name}” is none of them.`,
        )
      const base = URL.canParse(address) ? new URL(address) : null
      if (
        base === null ||
        (base.protocol !== 'https:' && !(base.protocol === 'http:' && isLocalHost(base.hostname)))
      )
        throw new SettingFault(
          `SELLER_API_BASES: the address of ${name} must begin with https://, for keys are sent there.`,
        )
      return [name, base]
    }),
  )
}
