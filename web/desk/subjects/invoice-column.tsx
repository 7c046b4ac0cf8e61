import type { Column } from '../table/columns.ts'
import { InvoiceLink } from './invoice-link.tsx'

/** The first column of rows that are about an invoice. */
export const invoiceColumn = <Row extends { invoice_number: string }>(title: string): Column<Row> => ({
  id: 'invoice',
  title,
  fixed: true,
  phone: true,
  cell: ({ invoice_number: number }) => <InvoiceLink number={number} />,
})
