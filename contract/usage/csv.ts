/** Fields of CSV files that browsers write, by the same rule as the server's. */
export { csvField } from '#lib/csv/print-csv'
