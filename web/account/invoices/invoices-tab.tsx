import { useSearchParams } from 'react-router'
import { InvoiceList } from './invoice-list.tsx'
import { InvoiceWatch } from './invoice-watch.tsx'

/** Where the money went: all purchases, or the one of the address, watched until it is paid. */
export function InvoicesTab() {
  const [search] = useSearchParams()
  const number = search.get('invoice')
  return number === null ? <InvoiceList /> : <InvoiceWatch key={number} number={number} />
}
