/** The sellers whose accounts can be read. */
import type { SellerAdapter } from './adapter.ts'
import { dataimpulse } from './dataimpulse.ts'
import { evomi } from './evomi.ts'
import { geonode } from './geonode.ts'
import { infatica } from './infatica.ts'
import { iproyal } from './iproyal.ts'
import { proxySeller } from './proxy-seller.ts'
import { earnfm, infiniteproxies, packetstream } from './sub-users.ts'
import { webshare } from './webshare.ts'

/** In the order of their names. */
export const sellerAdapters: readonly SellerAdapter[] = [
  dataimpulse,
  earnfm,
  evomi,
  geonode,
  infatica,
  infiniteproxies,
  iproyal,
  packetstream,
  proxySeller,
  webshare,
]

export const findSeller = (name: string): SellerAdapter | undefined =>
  sellerAdapters.find((seller) => seller.name === name)
