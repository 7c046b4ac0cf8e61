import ArrowDown from 'lucide-react/icons/arrow-down'
import ArrowUp from 'lucide-react/icons/arrow-up'
import { useSearchParameter } from '../../state/search-parameter.ts'
import { classNames } from '../../ui/class-names.ts'
import styles from './table.module.css'

interface HeadCellProps {
  title: string
  className: string
  sort?: { value: string; direction: 'ascending' | 'descending' }
}

/**
 * The heading of a column; a click on one that sorts asks for its order, a second click for the usual one.
 */
export function HeadCell({ title, className, sort }: HeadCellProps) {
  const [search, setParameter] = useSearchParameter()
  if (sort === undefined)
    return (
      <th scope="col" className={className}>
        {title}
      </th>
    )
  const isSorted = search.get('sort') === sort.value
  const Arrow = sort.direction === 'ascending' ? ArrowUp : ArrowDown
  return (
    <th scope="col" className={className} aria-sort={isSorted ? sort.direction : 'none'}>
      <button
        type="button"
        className={classNames(styles.sort, isSorted && styles.sorted)}
        onClick={() => setParameter('sort', isSorted ? null : sort.value)}
      >
        <span>{title}</span>
        <Arrow size={13} aria-hidden="true" />
      </button>
    </th>
  )
}
