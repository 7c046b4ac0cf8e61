import { useSearchParams } from 'react-router'
import { InvoiceList } from './invoice-list.tsx'
import { InvoicePage } from './invoice-page.tsx'

/** The list of invoices, or the one invoice that the address names. */
export function InvoicesTab() {
  const [search] = useSearchParams()
  const number = search.get('invoice')
  return number === null ? <InvoiceList /> : <InvoicePage key={number} number={number} />
}
