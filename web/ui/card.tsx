import type { ComponentProps } from 'react'
import styles from './card.module.css'
import { classNames } from './class-names.ts'

interface CardProps extends ComponentProps<'div'> {
  as?: 'div' | 'section' | 'article' | 'li'
  /** `dark` and `highlighted` single out one card among several. */
  tone?: 'surface' | 'raised' | 'dark' | 'highlighted'
  padding?: 'none' | 'medium' | 'large'
}

export function Card({
  as: Tag = 'div',
  tone = 'surface',
  padding = 'medium',
  className,
  ...rest
}: CardProps) {
  // The four tags have the same attributes; TypeScript cannot unify the types of their refs.
  const Element = Tag as 'div'
  return (
    <Element
      {...rest}
      className={classNames(styles.card, styles[tone], styles[`padding-${padding}`], className)}
    />
  )
}
