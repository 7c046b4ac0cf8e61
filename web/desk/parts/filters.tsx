import Search from 'lucide-react/icons/search'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { useSearchParameter } from '../../state/search-parameter.ts'
import { SelectField } from '../../ui/fields/select-field.tsx'
import { TextField } from '../../ui/fields/text-field.tsx'
import { useKeys } from './keys.ts'
import styles from './filters.module.css'

export function FilterBar({ children }: { children: ReactNode }) {
  return (
    <div className={styles.bar} role="search">
      {children}
    </div>
  )
}

const typingPauseMs = 250

interface TextFilterProps {
  /** The parameter of the address. */
  field: string
  label: string
  /** `/` puts the cursor here. */
  main?: boolean
}

/** A text that filters a list, kept in the address once nothing is typed for a moment. */
export function TextFilter({ field, label, main = false }: TextFilterProps) {
  const [search, setParameter] = useSearchParameter()
  const given = search.get(field) ?? ''
  const [typed, setTyped] = useState(given)
  const [seen, setSeen] = useState(given)
  const input = useRef<HTMLInputElement>(null)
  // Something else changed the address: a link, or going back.
  if (given !== seen) {
    setSeen(given)
    if (given !== typed.trim()) setTyped(given)
  }
  const apply = useRef(setParameter)
  useEffect(() => {
    apply.current = setParameter
  })
  useEffect(() => {
    if (typed.trim() === given) return
    const timer = setTimeout(() => apply.current(field, typed.trim() || null), typingPauseMs)
    return () => clearTimeout(timer)
  }, [field, typed, given])
  useKeys(main ? { '/': () => input.current?.focus() } : {})
  return (
    <TextField
      ref={input}
      type="search"
      label={label}
      labelHidden
      placeholder={label}
      className={main ? styles.search : styles.text}
      value={typed}
      onChange={(event) => setTyped(event.target.value)}
      // Enter moves the focus away from the field, so that j and k move through the rows.
      onKeyDown={(event) => event.key === 'Enter' && event.currentTarget.blur()}
      end={main && <Search size={16} aria-hidden="true" className={styles.icon} />}
    />
  )
}

interface ChoiceFilterProps<V extends string> {
  field: string
  label: string
  /** What is shown when nothing is chosen. */
  all: string
  options: readonly { value: V; label: string }[]
}

/** One value of a list, kept in the address. */
export function ChoiceFilter<V extends string>({ field, label, all, options }: ChoiceFilterProps<V>) {
  const [search, setParameter] = useSearchParameter()
  const given = options.find(({ value }) => value === search.get(field))?.value ?? ''
  return (
    <SelectField<V | ''>
      label={label}
      labelHidden
      className={styles.choice}
      value={given}
      options={[{ value: '', label: all }, ...options]}
      onChange={(value) => setParameter(field, value === '' ? null : value)}
    />
  )
}

/** A day, kept in the address; `usual` is shown while it names none. */
export function DayFilter({ field, label, usual = '' }: { field: string; label: string; usual?: string }) {
  const [search, setParameter] = useSearchParameter()
  return (
    <label className={styles.day}>
      <span>{label}</span>
      <input
        type="date"
        value={search.get(field) ?? usual}
        onChange={(event) => setParameter(field, event.target.value || null)}
      />
    </label>
  )
}
