import { Link } from 'react-router'

/** A customer's name, or its number where it has none, as a link to the customer. */
export function CustomerLink({ id, name }: { id: number | string; name: string | null }) {
  return <Link to={`/customers/${id}`}>{name ?? `#${id}`}</Link>
}
