import SearchIcon from 'lucide-react/icons/search'
import { useEffect, useState } from 'react'
import { Link, useLocation } from 'react-router'
import subjects from 'virtual:api-index'
import { useOptionalRead } from '../../state/reads/optional-read.ts'
import { useLanguage, useTranslation } from '../../state/i18n.ts'
import { Page } from '../page.tsx'
import { Call } from './call.tsx'
import styles from './docs.module.css'
import { apiQuery } from './document.ts'
import { GuideSection, useGuide } from './guide-section.tsx'
import { matches } from './search.ts'

const callNames = new Set(subjects.flatMap(({ calls }) => calls.map(({ name }) => name)))

/** The documentation of the API and of the gateway: how it works, then every call. */
export function DocsPage() {
  const { t } = useTranslation('docs')
  const [query, setQuery] = useState('')
  const groups = useGuide(query)
  const calls = useCalls(query)
  const [open, setOpen] = useOpenCalls()
  const found =
    groups.reduce((sum, { sections }) => sum + sections.length, 0) +
    calls.reduce((sum, subject) => sum + subject.calls.length, 0)
  return (
    <Page title={t('title')} description={t('description')} heading={t('heading')} lead={t('lead')} back>
      <div className={styles.docs}>
        <aside className={styles.aside}>
          <Search query={query} onChange={setQuery} found={found} />
          <nav className={styles.contents} aria-label={t('contents')}>
            {groups.map(({ title, sections }) => (
              <ContentsList
                key={title}
                title={t(title)}
                links={sections.map((section) => ({ id: section.id, text: t(section.title) }))}
              />
            ))}
            {calls.length > 0 && (
              <ContentsList
                title={t('group.calls')}
                links={calls.map(({ id, name }) => ({ id: `calls-${id}`, text: name }))}
              />
            )}
          </nav>
          <a className={styles.file} href="/api/openapi.json">
            {t('file')}
          </a>
        </aside>
        <div className={styles.content}>
          {found === 0 && (
            <section className={styles.section}>
              <h2 className={styles.title}>{t('nothing')}</h2>
              <p>{t('nothingText')}</p>
            </section>
          )}
          {groups.map(({ sections }) =>
            sections.map((section) => <GuideSection key={section.id} section={section} query={query} />),
          )}
          <noscript>
            <p>
              <span>{t('noScript')}</span> <a href="/api/openapi.json">{t('file')}</a>
            </p>
          </noscript>
          {calls.map(({ id, name, about, calls: own }) => (
            <section key={id} id={`calls-${id}`} className={styles.section}>
              <h2 className={styles.title}>{name}</h2>
              <p>{about}</p>
              <ul className={styles.calls}>
                {own.map((call) => (
                  <Call
                    key={call.name}
                    call={call}
                    isOpen={open.has(call.name)}
                    onToggle={(isOpen) => setOpen(call.name, isOpen)}
                  />
                ))}
              </ul>
            </section>
          ))}
        </div>
      </div>
    </Page>
  )
}

function Search({
  query,
  onChange,
  found,
}: {
  query: string
  onChange: (query: string) => void
  found: number
}) {
  const { t } = useTranslation('docs')
  return (
    <div className={styles.search}>
      <label className={styles.searchBox}>
        <SearchIcon size={20} strokeWidth={1.75} aria-hidden="true" />
        <input
          type="search"
          className={styles.input}
          value={query}
          aria-label={t('search')}
          placeholder={t('placeholder')}
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => onChange(event.target.value)}
        />
      </label>
      <p className="sr-only" role="status">
        {query === '' ? '' : found === 0 ? t('nothing') : t('found', { count: found })}
      </p>
    </div>
  )
}

function ContentsList({ title, links }: { title: string; links: { id: string; text: string }[] }) {
  if (links.length === 0) return null
  return (
    <div>
      <p className={styles.contentsTitle}>{title}</p>
      <ul>
        {links.map(({ id, text }) => (
          <li key={id}>
            <Link to={{ hash: id }} className={styles.contentsLink}>
              {text}
            </Link>
          </li>
        ))}
      </ul>
    </div>
  )
}

/**
 * The calls that match a query, by subject. The search includes the descriptions in the server's document.
 */
function useCalls(query: string) {
  const language = useLanguage()
  const data = useOptionalRead({ ...apiQuery(language), enabled: query !== '' })
  return subjects
    .map((subject) => ({
      id: subject.id,
      name: subject.name[language],
      about: subject.about[language],
      calls: subject.calls
        .map((call) => ({ ...call, summary: call.summary[language] }))
        .filter((call) => {
          if (query === '') return true
          const operation = data?.operations.get(call.name)
          const details = operation === undefined ? '' : JSON.stringify(operation)
          return matches(query, `${call.name} ${call.path} ${call.summary} ${details}`)
        }),
    }))
    .filter((subject) => subject.calls.length > 0)
}

/** The calls whose details are shown: those that the visitor opened, and the one that the address names. */
function useOpenCalls() {
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set())
  const { hash, key } = useLocation()
  const change = (name: string, isOpen: boolean) =>
    setOpen((before) => {
      const after = new Set(before)
      if (isOpen) after.add(name)
      else after.delete(name)
      return after
    })
  useEffect(() => {
    const name = decodeURIComponent(hash.slice(1))
    if (!callNames.has(name)) return
    setOpen((before) => new Set([...before, name]))
    document.getElementById(name)?.scrollIntoView()
  }, [hash, key])
  return [open, change] as const
}
