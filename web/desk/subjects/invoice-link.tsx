import { Link } from 'react-router'

/** An invoice's number, shortened, as a link to the invoice. */
export function InvoiceLink({ number }: { number: string }) {
  return (
    <Link to={`/invoices/${encodeURIComponent(number)}`} className="mono">
      {number.length > 12 ? `${number.slice(0, 8)}…` : number}
    </Link>
  )
}
