/** Fields of a part of the public texts, in both languages side by side. */
import ArrowDown from 'lucide-react/icons/arrow-down'
import ArrowUp from 'lucide-react/icons/arrow-up'
import X from 'lucide-react/icons/x'
import type { ReactNode } from 'react'
import { type Language, languages } from '#contract/language'
import { CallError } from '#contract/transport'
import { useTranslation } from '../../../state/i18n.ts'
import { Button } from '../../../ui/button.tsx'
import { TextArea } from '../../../ui/fields/text-area.tsx'
import { TextField } from '../../../ui/fields/text-field.tsx'
import { moved, type Path, valueAt, withValueAt } from './paths.ts'
import styles from './shop.module.css'

export interface Editor {
  value: unknown
  set: (value: unknown) => void
  readOnly: boolean
  /** The field that the server refused, as a path within the part, and why; null: none. */
  fault: { field: string; text: string } | null
}

/** The server's refusal, and the field of the part that it concerns; an empty field: the whole part. */
export function faultOf(error: Error | null, part: string): { field: string; text: string } | null {
  if (error === null) return null
  const field = error instanceof CallError ? error.details?.['field'] : undefined
  return {
    field: typeof field === 'string' && field.startsWith(`${part}.`) ? field.slice(part.length + 1) : '',
    text: error.message,
  }
}

interface FieldProps {
  editor: Editor
  path: Path
  label: string
  hint?: string
  /** Several lines. */
  area?: boolean
  /** An empty field is stored as null: the program's own text applies, or none. */
  nullable?: boolean
  mono?: boolean
  /** What is typed is stored in lower case. */
  lowerCase?: boolean
}

export function Field({
  editor,
  path,
  label,
  hint,
  area = false,
  nullable = false,
  mono = false,
  lowerCase = false,
}: FieldProps) {
  const value = valueAt(editor.value, path)
  const typed = (text: string) => (lowerCase ? text.trim().toLowerCase() : text)
  const props = {
    label,
    ...(hint === undefined ? {} : { hint }),
    error: editor.fault?.field === path.join('.') ? editor.fault.text : undefined,
    value: typeof value === 'string' ? value : '',
    readOnly: editor.readOnly,
    onChange: ({ target }: { target: { value: string } }) =>
      editor.set(
        withValueAt(editor.value, path, nullable && target.value === '' ? null : typed(target.value)),
      ),
  }
  return area ? <TextArea {...props} /> : <TextField {...props} mono={mono} autoComplete="off" />
}

/** The same fields in Russian and in English. */
export function InBoth({ children }: { children: (language: Language) => ReactNode }) {
  const { t } = useTranslation('deskShop')
  return (
    <div className={styles.both}>
      {languages.map((language) => (
        <fieldset key={language} className={styles.fields} lang={language}>
          <legend className={styles.language}>{t(`shop.in.${language}`)}</legend>
          <span>{children(language)}</span>
        </fieldset>
      ))}
    </div>
  )
}

interface ItemsProps {
  editor: Editor
  path: Path
  /** A new item. */
  empty: unknown
  add: string
  /** The accessible name of an item, by its number. */
  name: (number: number) => string
  children: (index: number) => ReactNode
}

/** Items that are added, moved and removed. */
export function Items({ editor, path, empty, add, name, children }: ItemsProps) {
  const { t } = useTranslation('deskShop')
  const value = valueAt(editor.value, path)
  const items: readonly unknown[] = Array.isArray(value) ? value : []
  const setItems = (next: readonly unknown[]) => editor.set(withValueAt(editor.value, path, next))
  return (
    <div className={styles.items}>
      {items.map((_item, index) => (
        // Items have no id of their own, and all of their state is in the editor.
        // oxlint-disable-next-line react/no-array-index-key
        <div key={index} className={styles.item} role="group" aria-label={name(index + 1)}>
          <div className={styles.itemHead}>
            <span>{name(index + 1)}</span>
            {!editor.readOnly && (
              <span className={styles.itemActs}>
                <IconButton
                  label={t('shop.up', { name: name(index + 1) })}
                  disabled={index === 0}
                  onClick={() => setItems(moved(items, index, index - 1))}
                >
                  <ArrowUp size={16} aria-hidden="true" />
                </IconButton>
                <IconButton
                  label={t('shop.down', { name: name(index + 1) })}
                  disabled={index === items.length - 1}
                  onClick={() => setItems(moved(items, index, index + 1))}
                >
                  <ArrowDown size={16} aria-hidden="true" />
                </IconButton>
                <IconButton
                  label={t('shop.removeNamed', { name: name(index + 1) })}
                  onClick={() => setItems(items.toSpliced(index, 1))}
                >
                  <X size={16} aria-hidden="true" />
                </IconButton>
              </span>
            )}
          </div>
          <span>{children(index)}</span>
        </div>
      ))}
      {!editor.readOnly && (
        <Button size="small" onClick={() => setItems([...items, empty])}>
          {add}
        </Button>
      )}
    </div>
  )
}

interface IconButtonProps {
  label: string
  disabled?: boolean
  onClick: () => void
  children: ReactNode
}

function IconButton({ label, disabled = false, onClick, children }: IconButtonProps) {
  return (
    <button type="button" className={styles.icon} aria-label={label} disabled={disabled} onClick={onClick}>
      {children}
    </button>
  )
}
