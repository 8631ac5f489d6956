// Where something happened: the call and the line. The file is left out where the call's class says it.

interface PlaceProps {
  call: string | null;
  file: string | null;
  line: number | null;
}

export function Place({ call, file, line }: PlaceProps) {
  const where = line === null ? "" : `${file ?? ""}:${line}`;
  const own = file !== null && call !== null && call.startsWith(`${file.replace(/\.\w+$/, "")}.`);
  return (
    <span class="place" title={[call, where].filter((part) => part !== null && part !== "").join(", ")}>
      {call} {own && line !== null ? `:${line}` : where}
    </span>
  );
}
