import { useState } from 'react'
import { pools } from '#contract/wire'
import { poolIn, useSearchParameter } from '../../state/search-parameter.ts'
import { soldPool, useSitePools } from '../../state/places/sold-pools.ts'
import { amountFromAddress } from './amount.ts'

export const maxCodeLength = 64

type Choice = 'amount' | 'pool' | 'method' | 'promocode'

/**
 * The choices of a purchase, which are in the address too, so that going back keeps them; `onChoose`: the
 * customer has changed one.
 */
export function useChoices(onChoose: () => void) {
  const [search, setParameter] = useSearchParameter()
  const [amount, setAmount] = useState(() => amountFromAddress(search.get('amount')))
  const [asked, setPool] = useState(() => poolIn(search))
  const { sold } = useSitePools()
  const pool = soldPool(sold, asked)
  const [method, setMethod] = useState(() => search.get('method'))
  const [code, setCode] = useState(() => (search.get('promocode') ?? '').slice(0, maxCodeLength))
  const set: Record<Choice, (value: string) => void> = {
    amount: setAmount,
    pool: (value) => setPool(pools.find((each) => each === value) ?? pool),
    method: setMethod,
    promocode: setCode,
  }
  const choose = (choice: Choice, value: string) => {
    onChoose()
    set[choice](value)
    const kept = value.trim()
    setParameter(choice, kept === '' ? null : kept)
  }
  /** The pool of a link, a letter or a repeated order that is not on sale; another one is chosen. */
  const notSold = asked !== undefined && asked !== pool ? asked : null
  /** `setMethod`: a choice that was not the customer's, and is not in the address. */
  return { amount, pool, notSold, sold, method, code, choose, setMethod }
}
