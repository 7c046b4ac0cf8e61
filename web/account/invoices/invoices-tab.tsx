import { useSearchParams } from 'react-router'
import { MoneyCard } from '../balance/money-card.tsx'
import { BuyerDetails } from './buyer-details.tsx'
import { InvoiceList } from './invoice-list.tsx'
import { InvoicePage } from './invoice-page.tsx'

/** The list of invoices, or the one invoice that the address names. */
export function InvoicesTab() {
  const [search] = useSearchParams()
  const number = search.get('invoice')
  if (number !== null) return <InvoicePage key={number} number={number} />
  return (
    <>
      <MoneyCard />
      <InvoiceList />
      <BuyerDetails />
    </>
  )
}
