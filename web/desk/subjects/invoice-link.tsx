import { Link } from 'react-router'

interface InvoiceLinkProps {
  number: string
  /** The number for people, where it is known. */
  short?: string
}

/** An invoice's number for people, or its number, shortened, as a link to the invoice. */
export function InvoiceLink({ number, short }: InvoiceLinkProps) {
  return (
    <Link to={`/invoices/${encodeURIComponent(number)}`} className="mono">
      {short ?? (number.length > 12 ? `${number.slice(0, 8)}…` : number)}
    </Link>
  )
}
