import Wallet from 'lucide-react/icons/wallet'
import type { Goods } from '#contract/wire'
import { PoolIcon } from '../../ui/graphics/pool-icon.tsx'

/** The icon of what an invoice sells: a pool, or the money balance. */
export function GoodsIcon({ goods, size, className }: { goods: Goods; size: number; className?: string }) {
  const named = className === undefined ? {} : { className }
  if (goods === 'balance') return <Wallet size={size} aria-hidden="true" {...named} />
  return <PoolIcon pool={goods} size={size} {...named} />
}
