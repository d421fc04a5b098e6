/* Loads the scheduler of a compiled object and holds it until it is killed, for benches/kernel/decisions.py: `hold
 * OBJECT`. */
#include <bpf/libbpf.h>
#include <stdio.h>
#include <unistd.h>

int main(int count, char **arguments)
{
	struct bpf_object *object = count == 2 ? bpf_object__open_file(arguments[1], 0) : 0;
	struct bpf_map *map;
	if (!object || bpf_object__load(object))
		return 1;
	bpf_object__for_each_map(map, object)
		if (bpf_map__type(map) == BPF_MAP_TYPE_STRUCT_OPS && !bpf_map__attach_struct_ops(map))
			return 1;
	pause();
}
