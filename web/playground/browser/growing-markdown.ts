import { create } from "./elements.ts";
import { blocksOf, markdown } from "./markdown.ts";

/**
 * A model's words as they arrive. Only the Markdown blocks that have changed since the last time are rendered again.
 */
export class GrowingMarkdown {
  readonly element = create("div", "text");
  private blocks: { source: string; nodes: ChildNode[] }[] = [];

  /** @param text all that has arrived so far */
  show(text: string): void {
    const sources = blocksOf(text);
    const same = this.blocks.findIndex(({ source }, index) => source !== sources[index]);
    const kept = same < 0 ? this.blocks.length : same;
    for (const { nodes } of this.blocks.splice(kept)) {
      for (const node of nodes) {
        node.remove();
      }
    }
    for (const source of sources.slice(kept)) {
      const fragment = markdown(source);
      this.blocks.push({ source, nodes: [...fragment.childNodes] });
      this.element.append(fragment);
    }
  }
}
